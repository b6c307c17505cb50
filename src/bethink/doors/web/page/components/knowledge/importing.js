// Entries from a file: first what would change, then, if one wants it, the change.

import { html, useCallback, useRef, useState } from "../../html.js";
import { knowledge } from "../../knowledge.js";
import { useWords } from "../../i18n.js";
import { useAsking } from "../asking.js";
import { ProblemNote } from "../problem.js";
import { Told } from "../told.js";

const SHOWN = 20;

export function Importing({ base, onDone }) {
  const { t } = useWords();
  const [file, setFile] = useState(null);
  const chooser = useRef(null);
  const bring = useCallback(
    async (chosen, dryRun) => {
      const report = await knowledge.importEntries(base, chosen, dryRun);
      if (!dryRun) await onDone();
      return { ...report, name: chosen.name };
    },
    [base],
  );
  const [{ answer: report, problem, busy }, run] = useAsking(bring);
  const choose = (event) => {
    const [chosen] = event.target.files;
    event.target.value = "";
    if (!chosen) return;
    setFile(chosen);
    run(chosen, true);
  };
  const changes = report?.dry_run && report.added + report.updated > 0;
  return html`<details class="card fold importing">
    <summary>${t("faq.import")}</summary>
    <p class="about">${t("faq.import.about")}</p>
    <button type="button" disabled=${busy} onClick=${() => chooser.current.click()}>${t("faq.import.file")}</button>
    <label hidden>${t("faq.import.file")}
      <input ref=${chooser} type="file" name="import" accept=".csv,.tsv,.json,.jsonl,.txt" onChange=${choose} />
    </label>
    <${ProblemNote} problem=${problem} onAgain=${file && (() => run(file, true))} />
    <div aria-live="polite">${report && !problem && html`<${Report} report=${report} />`}</div>
    ${changes && !problem && html`<button type="button" class="primary" disabled=${busy} onClick=${() => run(file, false)}>${t("faq.import.go")}</button>`}
  </details>`;
}

function Report({ report }) {
  const { t } = useWords();
  const { added, updated, unchanged, failed } = report;
  const counts = { added, updated, unchanged, failed: failed.length };
  return html`<div class=${`note ${report.dry_run ? "calm" : "good"}`}>
      <p><b><${Told} text=${report.name} /></b> ${report.dry_run ? t("faq.import.would", counts) : t("faq.import.done", counts)}</p>
    </div>
    ${failed.length > 0 &&
    html`<ul class="reasons">
      ${failed.slice(0, SHOWN).map((row) => html`<li key=${row.place}>${t("faq.import.row", { place: row.place })} <${Told} text=${row.why} /></li>`)}
      ${failed.length > SHOWN && html`<li>${t("recalls.more", { count: failed.length - SHOWN })}</li>`}
    </ul>`}
    ${report.notes.map((note, place) => html`<p key=${place} class="faint"><${Told} text=${note} /></p>`)}`;
}
