// A whole answer: what kind it is, its hits, what each stage did, and what a model would get.

import { html, useCallback } from "../html.js";
import { api } from "../api.js";
import { useWords } from "../i18n.js";
import { lasted } from "../times.js";
import { useAsking } from "./asking.js";
import { Badge } from "./badge.js";
import { Hit } from "./hit.js";
import { ProblemNote } from "./problem.js";
import { Stages } from "./stages.js";
import { Told } from "./told.js";

export function Answer({ answer }) {
  const { t } = useWords();
  return html`<div class="answer">
    <div class="card summary">
      <div class="card-head">
        <${Badge} group="status" word=${answer.status} />
        ${answer.confidence !== null && html`<span>${t("recalls.confidence", { value: answer.confidence.toFixed(2) })}</span>`}
        <span>${t("recalls.tokens", { used: answer.tokens_used, left: answer.tokens_left })}</span>
        <span>${answer.trace.preset} · ${lasted(answer.trace.milliseconds)}</span>
      </div>
      <${Reasons} reasons=${answer.reasons} />
    </div>
    <h2>${t("recalls.hits")} <span class="count">${answer.hits.length}</span></h2>
    ${answer.hits.length === 0 && html`<p class="empty">${t("recalls.no_hits")}</p>`}
    <ol class="hits">
      ${answer.hits.map((hit, place) => html`<li key=${`${hit.id}#${hit.passage.ordinal}`}><${Hit} hit=${hit} number=${place + 1} /></li>`)}
    </ol>
    ${answer.nearest && html`<h2>${t("recalls.nearest")}</h2><${Hit} hit=${answer.nearest} />`}
    <details class="card fold" open>
      <summary>${t("recalls.stages")} <span class="faint">${lasted(answer.trace.milliseconds)}</span></summary>
      <${Stages} steps=${answer.trace.steps} />
    </details>
    <${WhatAModelSees} key=${JSON.stringify(answer.asked)} asked=${answer.asked} />
  </div>`;
}

export function Reasons({ reasons }) {
  if (!reasons.length) return null;
  return html`<ul class="reasons">${reasons.map((reason, place) => html`<li key=${place}><${Told} text=${reason} /></li>`)}</ul>`;
}

function WhatAModelSees({ asked }) {
  const { t, language } = useWords();
  const fetchContext = useCallback(() => api.context({ ...asked, language }), [asked, language]);
  const [{ answer, problem }, load] = useAsking(fetchContext);
  return html`<details class="card fold" onToggle=${(e) => e.target.open && !answer && load()}>
    <summary>${t("recalls.model")}</summary>
    <${ProblemNote} problem=${problem} />
    ${answer &&
    (answer.text
      ? html`<p class="faint">${t("recalls.model.tokens", { count: answer.tokens })}</p>
          <pre class="model-text" tabindex="0"><${Told} text=${answer.text} /></pre>`
      : html`<p class="empty">${t("recalls.model.nothing")}</p>`)}
  </details>`;
}
