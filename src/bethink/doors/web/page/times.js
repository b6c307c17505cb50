// Moments and durations, as people of either language write them.

const LOCALES = { en: "en-GB", zh: "zh-CN" };

export function moment(iso, language, now = new Date()) {
  const at = new Date(iso);
  const sameDay = at.toDateString() === now.toDateString();
  const form = sameDay ? { timeStyle: "medium" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(LOCALES[language], form).format(at);
}

// Of what still goes on: whole seconds.
export function elapsed(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export function lasted(milliseconds) {
  if (milliseconds < 10) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
