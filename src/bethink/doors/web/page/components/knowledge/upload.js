// Where files are dropped or chosen, and what became of each.

import { html, useRef, useState } from "../../html.js";
import { useWords } from "../../i18n.js";
import { filesOf, named } from "../../dropped.js";
import { size } from "../../sizes.js";
import { Badge } from "../badge.js";
import { ProblemNote } from "../problem.js";
import { Told } from "../told.js";
import { UNDER_WAY } from "./uploading.js";

const NEEDS_THE_EXTRA = ["html", "pdf", "docx", "pptx", "xlsx", "epub"];

export function Upload({ base, here, uploads }) {
  const { t } = useWords();
  const [over, setOver] = useState(false);
  const chooser = useRef(null);
  const take = (files) => files.length && uploads.put(base, files, { largest: here.largest });
  const missing = NEEDS_THE_EXTRA.filter((one) => !here.formats.includes(one));
  const onDrop = async (event) => {
    event.preventDefault();
    setOver(false);
    take(await filesOf(event.dataTransfer));
  };
  return html`<div class=${`drop card ${over ? "over" : ""}`}
      onDragOver=${(e) => (e.preventDefault(), setOver(true))}
      onDragLeave=${(e) => e.currentTarget.contains(e.relatedTarget) || setOver(false)}
      onDrop=${onDrop}>
      <p>${t("knowledge.drop")}</p>
      <button type="button" class="primary" onClick=${() => chooser.current.click()}>${t("knowledge.choose")}</button>
      <label hidden>${t("knowledge.choose")}
        <input ref=${chooser} type="file" name="files" multiple
          onChange=${(e) => (take([...e.target.files].map(named)), (e.target.value = ""))} />
      </label>
      <p class="faint">${t("knowledge.formats", { formats: here.formats.join(", "), most: size(here.largest) })}</p>
      ${missing.length > 0 && html`<p class="faint">${t("knowledge.formats.missing", { formats: missing.join(", ") })}</p>`}
    </div>
    <${Items} items=${uploads.items.filter((item) => item.base === base)} uploads=${uploads} base=${base} />`;
}

function Items({ items, uploads, base }) {
  const { t } = useWords();
  if (!items.length) return null;
  const done = items.filter((item) => !UNDER_WAY.includes(item.state)).length;
  return html`<section class="card uploads" aria-labelledby="uploads-title">
    <div class="card-head">
      <h2 id="uploads-title">${t("knowledge.uploads")} <span class="count">${done} / ${items.length}</span></h2>
      ${done > 0 && html`<button type="button" class="quiet" onClick=${() => uploads.clear(base)}>${t("knowledge.uploads.clear")}</button>`}
    </div>
    <ul aria-live="polite">${items.map((item) => html`<li key=${item.key}><${Item} item=${item} onAgain=${() => uploads.again(item)} /></li>`)}</ul>
  </section>`;
}

// What the file itself is to blame for does not go away by trying.
const passes = (problem) => problem && ([0, 408, 409, 429].includes(problem.status) || problem.status > 501);

function Item({ item, onAgain }) {
  const { t } = useWords();
  const { outcome } = item;
  return html`<div class="upload">
    <div class="card-head">
      <${Badge} group="upload" word=${item.state} />
      <span class="upload-name"><${Told} text=${item.name} /></span>
      <span class="faint">${outcome ? t("knowledge.sections", { count: outcome.sections }) : size(item.file.size)}</span>
    </div>
    ${item.state === "sending" &&
    html`<progress max="1" value=${item.sent} aria-label=${t("knowledge.sent", { name: item.name })}></progress>`}
    ${item.state === "reading" && html`<progress aria-label=${t("knowledge.being_read", { name: item.name })}></progress>`}
    ${outcome?.notes.map((note, place) => html`<p key=${place} class="faint"><${Told} text=${note} /></p>`)}
    ${item.tooLarge > 0 && html`<p class="fault">${t("knowledge.too_large", { size: size(item.file.size), most: size(item.tooLarge) })}</p>`}
    ${item.state === "failed" && html`<${ProblemNote} problem=${item.problem} onAgain=${passes(item.problem) && onAgain} />`}
  </div>`;
}
