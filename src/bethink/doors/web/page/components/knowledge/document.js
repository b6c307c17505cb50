// One document: what it is, and what can be done with it. Its sections are asked for when opened.

import { html, useCallback, useRef, useState } from "../../html.js";
import { knowledge } from "../../knowledge.js";
import { useWords } from "../../i18n.js";
import { size } from "../../sizes.js";
import { moment } from "../../times.js";
import { useAsking } from "../asking.js";
import { Badge } from "../badge.js";
import { ProblemNote } from "../problem.js";
import { Facts, MemoryText, Told } from "../told.js";
import { placeOf } from "./places.js";

const PARTS = 20;

export function Document({ base, document, verbs }) {
  const { t, language } = useWords();
  const chooser = useRef(null);
  const state = document.state !== "ready" ? document.state : document.enabled ? "enabled" : "disabled";
  const about = [
    document.format,
    t("knowledge.sections", { count: document.sections }),
    document.pages > 0 && placeOf(t, document.unit, document.pages, "count"),
    size(document.bytes),
    moment(document.updated_at, language),
  ];
  return html`<article class=${`card document ${state}`}>
    <div class="card-head">
      <h3><${Told} text=${document.title || document.address} /></h3>
      <${Badge} group="document" word=${state} />
    </div>
    <p class="faint"><code><${Told} text=${document.address} /></code> · ${about.filter(Boolean).join(" · ")}</p>
    ${document.state !== "ready" && html`<p class="fault">${t("knowledge.unfinished")}</p>`}
    ${verbs &&
    html`<div class="verbs">
      <button type="button" disabled=${verbs.busy} onClick=${() => verbs.onSwitch(document)}>${t(document.enabled ? "knowledge.disable" : "knowledge.enable")}</button>
      <button type="button" disabled=${verbs.busy} onClick=${() => chooser.current.click()}>${t("knowledge.replace")}</button>
      <button type="button" disabled=${verbs.busy} onClick=${() => verbs.onRemove(document)}>${t("knowledge.remove")}</button>
      <label hidden>${t("knowledge.replace")}
        <input ref=${chooser} type="file" name="instead"
          onChange=${(e) => (e.target.files[0] && verbs.onReplace(document, e.target.files[0]), (e.target.value = ""))} />
      </label>
    </div>`}
    <${Parts} base=${base} document=${document} />
  </article>`;
}

function Parts({ base, document }) {
  const { t } = useWords();
  const [most, setMost] = useState(PARTS);
  const load = useCallback(
    (wanted) => knowledge.document(base, document.id, 0, wanted),
    [base, document.id, document.updated_at],
  );
  const [{ answer, problem, busy }, run] = useAsking(load);
  const open = (event) => event.target === event.currentTarget && event.target.open && run(most);
  const more = () => (setMost(most + PARTS), run(most + PARTS));
  return html`<details onToggle=${open}>
    <summary>${t("knowledge.look")}</summary>
    <${ProblemNote} problem=${problem} />
    <${Facts} facts=${[[t("memory.id"), document.id], [t("knowledge.notes"), document.notes]]} />
    <ol class="parts-of-document">
      ${answer?.parts.map(
        (part) => html`<li key=${part.id}>
          <p class="faint">${part.page > 0 && `${placeOf(t, document.unit, part.page, "one", part.page_end)} `}<${Told} text=${part.headings} /></p>
          <${MemoryText} text=${part.text} short=${240} />
        </li>`,
      )}
    </ol>
    ${answer?.next && html`<button type="button" class="quiet" disabled=${busy} onClick=${more}>${t("tiers.more")}</button>`}
  </details>`;
}
