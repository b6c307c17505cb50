// An answer with marks like [2]: each leads to the passage that it names. What else stands in brackets
// is text.

import { html } from "../../html.js";
import { useWords } from "../../i18n.js";
import { Told } from "../told.js";

const MARK = /\[(\d{1,3})\]/g;

export function CitedText({ text, cited, onCite }) {
  const { t } = useWords();
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(MARK)) {
    const number = Number(found[1]);
    if (!cited.includes(number)) continue;
    parts.push(html`<${Told} text=${text.slice(end, found.index)} />`);
    parts.push(html`<button type="button" class="mark" aria-label=${t("knowledge.cited", { number })} onClick=${() => onCite(number)}>[${number}]</button>`);
    end = found.index + found[0].length;
  }
  parts.push(html`<${Told} text=${text.slice(end)} />`);
  return html`<div class="memory-text written"><p>${parts}</p></div>`;
}
