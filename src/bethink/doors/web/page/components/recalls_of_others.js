// Recalls as their traces arrive. An event holds no memory's text: it is asked for when somebody
// opens the recall, and only if their key may see it.

import { html, useCallback, useState } from "../html.js";
import { api } from "../api.js";
import { useWords } from "../i18n.js";
import { lasted, moment } from "../times.js";
import { Reasons } from "./answer.js";
import { useAsking } from "./asking.js";
import { Badge } from "./badge.js";
import { Channels, Evidence, Score } from "./score.js";
import { Stages } from "./stages.js";
import { MemoryText, Told } from "./told.js";

const AT_FIRST = 20;
const MOST_TEXTS = 10;
const MOST_RECENT = 50;

export function RecallsOfOthers({ recalls }) {
  const { t } = useWords();
  const [most, setMost] = useState(AT_FIRST);
  return html`<section class="others" aria-labelledby="others-title">
    <h2 id="others-title">${t("recalls.live")} <span class="count">${recalls.length}</span></h2>
    <p class="about">${t("recalls.live.about")}</p>
    ${recalls.length === 0 && html`<p class="empty">${t("recalls.live.none")}</p>`}
    <ol class="recall-list">
      ${recalls.slice(0, most).map((event) => html`<li key=${event.id}><${Recall} event=${event} /></li>`)}
    </ol>
    ${recalls.length > most &&
    html`<button type="button" class="quiet" onClick=${() => setMost(most + AT_FIRST)}>${t("tiers.more")}</button>`}
  </section>`;
}

// What is recent is no memory yet, and is looked for among its like first.
async function textsOf(hits, spaces) {
  const unverified = hits.some((hit) => !hit.verified);
  const recent = unverified ? (await api.working(spaces, MOST_RECENT)).memories : [];
  const texts = Object.fromEntries(recent.map((memory) => [memory.id, memory.text]));
  const missing = [...new Set(hits.map((hit) => hit.id))].filter((id) => !(id in texts));
  const found = await Promise.allSettled(missing.map((id) => api.memory(id)));
  missing.forEach((id, place) => (texts[id] = found[place].value?.text));
  return texts;
}

function Recall({ event }) {
  const { t, language } = useWords();
  const { data } = event;
  const fetchTexts = useCallback(() => textsOf(data.hits.slice(0, MOST_TEXTS), event.spaces), [event]);
  const [{ answer: texts }, load] = useAsking(fetchTexts);
  return html`<details class="card fold recall" onToggle=${(e) => e.target === e.currentTarget && e.target.open && !texts && load()}>
    <summary>
      <span class="recall-question"><${Told} text=${data.question} /></span>
      <span class="recall-line">
        <${Badge} group="status" word=${data.status} />
        <span class="faint">${data.preset} · ${t("workflow.hits", { count: data.hits.length })} · ${lasted(data.milliseconds)} · ${moment(event.at, language)}</span>
      </span>
    </summary>
    <${Reasons} reasons=${data.reasons} />
    <ol class="hits">
      ${data.hits.map(
        (hit, place) => html`<li key=${place}>
          <div class="card-head">
            <span class="hit-number">${place + 1}</span>
            ${hit.verified === false && html`<${Badge} group="memory" word="unverified" />`}
            <${Channels} channels=${hit.channels} />
          </div>
          ${texts && place < MOST_TEXTS && (texts[hit.id] !== undefined
            ? html`<${MemoryText} text=${texts[hit.id]} short=${200} />`
            : html`<p class="faint">${t("recalls.gone")}</p>`)}
          <code class="faint"><${Told} text=${hit.id} /></code>
          <${Score} score=${hit.score} parts=${hit.parts} />
          <${Evidence} relevance=${hit.relevance} evidence=${hit.evidence} />
        </li>`,
      )}
    </ol>
    <${Stages} steps=${data.steps} />
  </details>`;
}
