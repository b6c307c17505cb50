// A word in a coloured frame. The word says it all; the colour helps the eye.

import { html } from "../html.js";
import { useWords } from "../i18n.js";

const TONES = {
  enabled: "good", added: "good", replaced: "good",
  answered: "good", completed: "good", promoted: "good", long_term: "good",
  sending: "busy", reading: "busy", running: "busy", admitted: "busy", working: "busy",
  disabled: "warn", unfinished: "warn",
  degraded: "warn", stale: "warn", below_floor: "warn", uncertain: "warn", held: "warn", unverified: "warn", contradicted: "warn", correction: "warn",
  failed: "bad", unavailable: "bad", rejected: "bad", refused: "bad",
};

export function Badge({ group, word }) {
  const { named } = useWords();
  return html`<span class=${`badge ${TONES[word] ?? "calm"}`}>${named(group, word)}</span>`;
}
