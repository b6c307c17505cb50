// Knowledge bases: what goes in, and what can be asked of it.

import { html, useCallback, useEffect } from "../html.js";
import { api } from "../api.js";
import { knowledge } from "../knowledge.js";
import { useWords } from "../i18n.js";
import { useFollowing } from "../components/asking.js";
import { ProblemNote } from "../components/problem.js";
import { AskingBase } from "../components/knowledge/asking_base.js";
import { Bases } from "../components/knowledge/bases.js";
import { Documents } from "../components/knowledge/documents.js";
import { Entries } from "../components/knowledge/entries.js";
import { useUploads } from "../components/knowledge/uploading.js";

const PARTS = { documents: Documents, ask: AskingBase, faq: Entries };

export function KnowledgeRoom({ happened, place, onPlace, onProblem }) {
  const { t } = useWords();
  const load = useCallback(() => Promise.all([knowledge.bases(), api.caller()]), []);
  const changes = Object.values(happened.baseChanges).reduce((sum, one) => sum + one, 0);
  const [{ answer, problem }, reload] = useFollowing(load, changes);
  const uploads = useUploads(reload);
  useEffect(() => void (problem && onProblem(problem)), [problem]);

  return html`<section aria-labelledby="knowledge-title">
    <h1 id="knowledge-title">${t("room.knowledge")}</h1>
    <p class="about">${t("knowledge.about")}</p>
    <${ProblemNote} problem=${problem} onAgain=${reload} />
    ${answer && html`<${House} here=${answer[0]} caller=${answer[1]} ...${{ happened, place, onPlace, uploads, reload, onProblem }} />`}
  </section>`;
}

function House({ here, caller, happened, place, onPlace, uploads, reload, onProblem }) {
  const { t } = useWords();
  const [named, wanted] = place;
  const base = named || here.knowledge_bases[0]?.name;
  const part = Object.hasOwn(PARTS, wanted ?? "") ? wanted : "documents";
  const Part = PARTS[part];
  const writes = caller.scopes.includes("write");
  return html`
    <${Bases} bases=${here.knowledge_bases} base=${base} writes=${writes} onBase=${(name) => onPlace(name, part)} />
    ${!writes && html`<p class="faint">${t("knowledge.read_only")}</p>`}
    ${base &&
    html`<fieldset class="switches parts">
        <legend class="visually-hidden">${t("knowledge.parts")}</legend>
        ${Object.keys(PARTS).map(
          (name) => html`<label key=${name}>
            <input type="radio" name="part" value=${name} checked=${name === part} onChange=${() => onPlace(base, name)} />
            <span>${t(`knowledge.part.${name}`)}</span>
          </label>`,
        )}
      </fieldset>
      <${Part}
        key=${`${base}/${part}`}
        base=${base}
        here=${here}
        writes=${writes}
        uploads=${uploads}
        changes=${happened.baseChanges[base] ?? 0}
        onChanged=${reload}
        onProblem=${onProblem}
      />`}
  `;
}
