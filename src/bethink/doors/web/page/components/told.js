// Anything that somebody else wrote: text, never markup, with what it hides made visible.

import { html, useState } from "../html.js";
import { useWords } from "../i18n.js";
import { visible } from "../visible.js";

const SHORT = 300; // characters of a card; the rest is a click away

export function Told({ text }) {
  const { t } = useWords();
  const parts = visible(String(text)).map((part) =>
    typeof part === "string"
      ? part
      : html`<span class="hidden-mark" title=${`${t("memory.hidden")}: ${part.title}`}>${part.mark}${
          part.spelled && ` “${part.spelled}”`
        }</span>`,
  );
  return html`<bdi>${parts}</bdi>`;
}

export function MemoryText({ text, short = SHORT }) {
  const { t } = useWords();
  const [whole, setWhole] = useState(false);
  const characters = [...text];
  const cut = characters.length > short * 1.25;
  const shown = whole || !cut ? text : `${characters.slice(0, short).join("")}…`;
  return html`<div class="memory-text">
    <p><${Told} text=${shown} /></p>
    ${cut &&
    html`<button type="button" class="quiet" aria-expanded=${String(whole)} onClick=${() => setWhole(!whole)}>
      ${whole ? t("memory.less") : t("memory.all", { count: characters.length.toLocaleString() })}
    </button>`}
  </div>`;
}

// Names and values; what is empty is left out.
export function Facts({ facts }) {
  const told = facts.filter(([, value]) => value !== undefined && value !== null && value !== "" && value?.length !== 0);
  return html`<dl class="facts">
    ${told.map(
      ([name, value]) =>
        html`<div key=${name}><dt>${name}</dt><dd>${[value].flat().map(
          (one, place) => html`${place > 0 && " · "}${typeof one === "object" ? one : html`<${Told} text=${one} />`}`,
        )}</dd></div>`,
    )}
  </dl>`;
}

// Who said it, for `Facts`.
export function saidBy(memory, t) {
  return ["speaker", "role", "conversation"].map((name) => {
    const value = memory.metadata?.[name];
    return [t(`memory.${name}`), typeof value === "string" ? value : ""];
  });
}
