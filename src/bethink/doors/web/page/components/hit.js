// One line of an answer, with its reasons.

import { html } from "../html.js";
import { useWords } from "../i18n.js";
import { moment } from "../times.js";
import { Badge } from "./badge.js";
import { Channels, Evidence, Score } from "./score.js";
import { Facts, MemoryText, Told, saidBy } from "./told.js";

export function Hit({ hit, number }) {
  const { t, language } = useWords();
  return html`<article class="hit card">
    <div class="card-head">
      ${number && html`<span class="hit-number">${number}</span>`}
      ${hit.tier !== "long_term" && html`<${Badge} group="tier" word=${hit.tier} />`}
      ${!hit.verified && html`<${Badge} group="memory" word="unverified" />`}
      ${hit.contradicted_by && html`<${Badge} group="memory" word="contradicted" />`}
      <${Channels} channels=${hit.channels} />
    </div>
    <${MemoryText} text=${hit.text} />
    <${Score} score=${hit.score} parts=${hit.parts} />
    <${Evidence} relevance=${hit.relevance} evidence=${hit.evidence} />
    ${hit.displaced.length > 0 &&
    html`<details>
      <summary>${t("recalls.displaced")} (${hit.displaced.length})</summary>
      <ul class="dropped">${hit.displaced.map((one, place) => html`<li key=${place}><${Told} text=${one} /></li>`)}</ul>
    </details>`}
    <details>
      <summary>${t("recalls.details")}</summary>
      <${Facts}
        facts=${[
          [t("memory.id"), hit.id],
          [t("memory.contradicted"), hit.contradicted_by],
          [t("memory.space"), hit.space],
          [t("memory.kind"), hit.kind],
          [t("memory.section"), hit.section],
          ...saidBy(hit, t),
          [t("tiers.source"), hit.source],
          [t("memory.tags"), hit.tags],
          [t("memory.entities"), hit.entities],
          [t("tiers.confidence"), hit.confidence],
          [t("memory.created"), moment(hit.created_at, language)],
          [t("memory.occurred"), hit.occurred_at && moment(hit.occurred_at, language)],
          [t("memory.reinforced"), hit.reinforcement ? `${hit.reinforcement}×` : ""],
          [t("memory.accessed"), hit.access_count ? `${hit.access_count}×` : ""],
        ]}
      />
    </details>
  </article>`;
}
