// What went wrong, in the server's own words where it said any.

import { html } from "../html.js";
import { useWords } from "../i18n.js";
import { Told } from "./told.js";

export function ProblemNote({ problem, onAgain }) {
  const { t } = useWords();
  if (!problem) return null;
  const own = ["unreachable", "timeout", "no_key"].includes(problem.code);
  return html`<div class="note bad" role="alert">
    <p>${own ? t(`problem.${problem.code}`) : html`<${Told} text=${problem.message} />`}</p>
    ${onAgain && html`<button type="button" onClick=${onAgain}>${t("again")}</button>`}
  </div>`;
}
