// The bar above every room: where one is, whether news arrive, and how it looks and speaks.

import { html } from "../html.js";
import { useWords } from "../i18n.js";
import { LANGUAGES, THEMES } from "../preferences.js";

const LANGUAGE_NAMES = { en: "English", zh: "中文" };

export function Header({ rooms, room, live, theme, onTheme, onLanguage, onForgetKey }) {
  const { t, language } = useWords();
  return html`<header class="bar">
    <a class="skip" href="#room" onClick=${(e) => {
      e.preventDefault();
      document.getElementById("room").focus();
    }}>${t("nav.skip")}</a>
    <span class="brand"><img src="page/icon.svg" alt="" width="24" height="24" /><span class="brand-name">Bethink</span></span>
    <nav aria-label=${t("nav.rooms")}>
      ${rooms.map(
        (name) => html`<a key=${name} href=${`#${name}`} aria-current=${name === room ? "page" : undefined}>${t(`room.${name}`)}</a>`,
      )}
    </nav>
    <div class="bar-end">
      <span class=${`connection ${live.state}`} role="status" title=${live.reason ?? ""}>
        <span class="live-dot" aria-hidden="true"></span>${t(`live.${live.state}`)}
      </span>
      <${Choice} label=${t("nav.language")} value=${language} onChange=${onLanguage}
        options=${LANGUAGES.map((name) => [name, LANGUAGE_NAMES[name]])} />
      <${Choice} label=${t("nav.theme")} value=${theme} onChange=${onTheme}
        options=${THEMES.map((name) => [name, t(`theme.${name}`)])} />
      ${onForgetKey && html`<button type="button" class="quiet" onClick=${onForgetKey}>${t("key.forget")}</button>`}
    </div>
  </header>`;
}

export function Choice({ label, value, options, onChange, shown = false }) {
  return html`<label class="choice">
    <span class=${shown ? "" : "visually-hidden"}>${label}</span>
    <select value=${value} onChange=${(e) => onChange(e.target.value)}>
      ${options.map(([name, words]) => html`<option key=${name} value=${name} selected=${name === value}>${words}</option>`)}
    </select>
  </label>`;
}
