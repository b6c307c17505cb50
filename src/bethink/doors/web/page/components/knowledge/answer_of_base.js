// What a base answered: the answer where a model wrote one, the passages, and what came nearest where
// nothing was good enough.

import { html, useId } from "../../html.js";
import { useWords } from "../../i18n.js";
import { lasted } from "../../times.js";
import { Reasons } from "../answer.js";
import { Badge } from "../badge.js";
import { Hit } from "../hit.js";
import { Stages } from "../stages.js";
import { Told } from "../told.js";
import { CitedText } from "./cited_text.js";
import { Passage } from "./passage.js";

export function AnswerOfBase({ answer }) {
  const { t } = useWords();
  const id = useId();
  const { passages, how, by, known } = answer;
  const { confidence, trace } = passages;
  const reasons = answer.reasons ?? passages.reasons;
  const asked = answer.asked_as !== answer.question && answer.asked_as;
  const show = (number) => {
    const place = document.getElementById(`${id}-${number}`);
    place?.scrollIntoView({ block: "center" });
    place?.focus();
  };
  return html`<div class="answer">
    <div class="card summary">
      <div class="card-head">
        <${Badge} group="status" word=${answer.status ?? passages.status} />
        ${confidence !== null && html`<span>${t("recalls.confidence", { value: confidence.toFixed(2) })}</span>`}
        <span class="faint">${lasted(trace.milliseconds)}</span>
      </div>
      ${asked && html`<p class="faint">${t("knowledge.asked_as")} <${Told} text=${asked} /></p>`}
      ${how === "ask" && !known && html`<p class="not-known">${t("knowledge.not_known")}</p>`}
      ${how === "ask" && by === "llm" && html`<${CitedText} text=${answer.answer} cited=${answer.citations.map((one) => one.number)} onCite=${show} />`}
      ${how === "ask" && known && by === "passages" && html`<p class="about">${t("knowledge.by_passages")}</p>`}
      <${Reasons} reasons=${reasons} />
    </div>
    <h2>${t("knowledge.passages")} <span class="count">${passages.hits.length}</span></h2>
    ${passages.hits.length === 0 && html`<p class="empty">${t("recalls.no_hits")}</p>`}
    <ol class="hits">
      ${passages.hits.map((hit) => html`<li key=${hit.citation.number}><${Passage} hit=${hit} id=${`${id}-${hit.citation.number}`} /></li>`)}
    </ol>
    ${passages.nearest && html`<h2>${t("recalls.nearest")}</h2><p class="about">${t("knowledge.nearest")}</p><${Hit} hit=${passages.nearest} />`}
    <details class="card fold">
      <summary>${t("recalls.stages")} <span class="faint">${lasted(trace.milliseconds)}</span></summary>
      <${Stages} steps=${trace.steps} />
    </details>
  </div>`;
}
