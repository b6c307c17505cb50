// A passage with its citation: where it stands, and how it was found.

import { html } from "../../html.js";
import { useWords } from "../../i18n.js";
import { moment } from "../../times.js";
import { Badge } from "../badge.js";
import { Evidence, Score } from "../score.js";
import { MemoryText, Told } from "../told.js";
import { placeOf } from "./places.js";

export function Passage({ hit, id }) {
  const { t, named, language } = useWords();
  const { citation } = hit;
  const place = citation.page ? placeOf(t, citation.unit, citation.page, "one", citation.page_end ?? 0) : "";
  const where = [citation.address, place, citation.fetched_at && moment(citation.fetched_at, language)].filter(Boolean);
  return html`<article class="hit card" id=${id} tabindex="-1">
    <div class="card-head">
      <span class="hit-number">${citation.number}</span>
      <b><${Told} text=${citation.title || citation.address || hit.source || hit.id} /></b>
      ${citation.heading && html`<span class="heading-path">› <${Told} text=${citation.heading} /></span>`}
      ${!citation.verified && html`<${Badge} group="memory" word="unverified" />`}
    </div>
    ${where.length > 0 && html`<p class="faint"><${Told} text=${where.join(" · ")} /></p>`}
    <${MemoryText} text=${hit.text} short=${600} />
    <ul class="channels" aria-label=${t("recalls.found_by")}>
      ${citation.match_types.map((way) => html`<li key=${way}>${named("channel", way)}</li>`)}
    </ul>
    <${Score} score=${hit.score} parts=${hit.parts} />
    <${Evidence} relevance=${hit.relevance} evidence=${hit.evidence} />
  </article>`;
}
