// What this browser remembers of its user: a theme and a language.

const THEME = "bethink.theme";
const LANGUAGE = "bethink.language";

export const THEMES = ["system", "light", "dark"];
export const LANGUAGES = ["en", "zh"];

export function theme() {
  const kept = localStorage.getItem(THEME);
  return THEMES.includes(kept) ? kept : "system";
}

export function setTheme(name) {
  localStorage.setItem(THEME, name);
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

export function language() {
  const kept = localStorage.getItem(LANGUAGE);
  if (LANGUAGES.includes(kept)) return kept;
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}

export function setLanguage(name) {
  localStorage.setItem(LANGUAGE, name);
  document.documentElement.lang = name === "zh" ? "zh-CN" : "en";
}
