// What every stage did, how long it took, and what it dropped and why.

import { html } from "../html.js";
import { useWords } from "../i18n.js";
import { lasted } from "../times.js";
import { Told } from "./told.js";

const MOST_DROPPED = 100;

export function Stages({ steps }) {
  const { t } = useWords();
  const longest = Math.max(...steps.map((step) => step.milliseconds), 0.001);
  return html`<div class="stages-frame" tabindex="0" role="region" aria-label=${t("recalls.stages")}>
    <table class="stages">
      <thead>
        <tr>
          <th scope="col">${t("recalls.stage")}</th>
          <th scope="col">${t("recalls.in_out")}</th>
          <th scope="col">${t("recalls.time")}</th>
          <th scope="col">${t("recalls.notes")}</th>
        </tr>
      </thead>
      <tbody>
        ${steps.map((step, place) => html`<${Stage} key=${place} step=${step} longest=${longest} />`)}
      </tbody>
    </table>
  </div>`;
}

function Stage({ step, longest }) {
  const { t } = useWords();
  const dropped = step.dropped ?? []; // events tell the numbers only
  return html`<tr>
    <th scope="row">${step.stage}</th>
    <td class="number">${step.received} → ${step.passed_on}</td>
    <td class="number">
      ${lasted(step.milliseconds)}
      <span class="time-bar" aria-hidden="true"><span style=${{ width: `${(step.milliseconds / longest) * 100}%` }}></span></span>
    </td>
    <td>
      ${step.notes.map((note, place) => html`<p key=${place}><${Told} text=${note} /></p>`)}
      ${dropped.length > 0 &&
      html`<details>
        <summary>${t("recalls.dropped", { count: dropped.length })}</summary>
        <ul class="dropped">
          ${dropped.slice(0, MOST_DROPPED).map(
            (one, place) => html`<li key=${place}>
              <code><${Told} text=${`${one.memory_id}#${one.ordinal}`} /></code> <${Told} text=${one.reason} />
            </li>`,
          )}
          ${dropped.length > MOST_DROPPED && html`<li>${t("recalls.more", { count: dropped.length - MOST_DROPPED })}</li>`}
        </ul>
      </details>`}
    </td>
  </tr>`;
}
