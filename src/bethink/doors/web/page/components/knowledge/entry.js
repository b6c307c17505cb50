// One frequent question with its answers.

import { html } from "../../html.js";
import { useWords } from "../../i18n.js";
import { Badge } from "../badge.js";
import { Facts, MemoryText, Told } from "../told.js";

export function Entry({ entry, verbs }) {
  const { t } = useWords();
  const state = entry.enabled ? "enabled" : "disabled";
  return html`<article class=${`card document ${state}`}>
    <div class="card-head">
      <h3><${Told} text=${entry.question} /></h3>
      <${Badge} group="document" word=${state} />
    </div>
    ${entry.answers.map((answer, place) => html`<${MemoryText} key=${place} text=${answer} />`)}
    <${Facts}
      facts=${[
        [t("faq.similar"), entry.similar],
        [t("faq.negative"), entry.negative],
        [t("memory.tags"), entry.tags],
        [t("tiers.source"), entry.source],
      ]}
    />
    ${verbs &&
    html`<div class="verbs">
      <button type="button" disabled=${verbs.busy} onClick=${() => verbs.onEdit(entry)}>${t("faq.edit")}</button>
      <button type="button" disabled=${verbs.busy} onClick=${() => verbs.onSwitch(entry)}>${t(entry.enabled ? "knowledge.disable" : "knowledge.enable")}</button>
      <button type="button" disabled=${verbs.busy} onClick=${() => verbs.onRemove(entry)}>${t("knowledge.remove")}</button>
    </div>`}
  </article>`;
}
