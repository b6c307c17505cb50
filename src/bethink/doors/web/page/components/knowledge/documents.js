// The documents of a base.

import { html, useCallback, useEffect, useRef, useState } from "../../html.js";
import { knowledge } from "../../knowledge.js";
import { useWords } from "../../i18n.js";
import { useFollowing } from "../asking.js";
import { ProblemNote } from "../problem.js";
import { Question } from "../question.js";
import { Told } from "../told.js";
import { Document } from "./document.js";
import { Said, useDoing } from "./doing.js";
import { Upload } from "./upload.js";

const PAGE = 50;

export function Documents({ base, here, writes, uploads, changes, onChanged, onProblem }) {
  const { t } = useWords();
  const [most, setMost] = useState(PAGE);
  const [removing, setRemoving] = useState(null);
  const heading = useRef(null);
  const load = useCallback(() => knowledge.documents(base, most), [base, most]);
  const outcomes = uploads.items.filter((item) => item.base === base && item.outcome).length;
  const [{ answer, problem }, reload] = useFollowing(load, changes + outcomes);
  const doing = useDoing(() => Promise.all([reload(), onChanged()]));
  useEffect(() => void (problem && onProblem(problem)), [problem]);

  const remove = async (document) => {
    setRemoving(null);
    await doing.run(
      () => knowledge.removeDocument(base, document.id),
      (gone) => ({ text: t("knowledge.removed", { title: document.title || document.address, count: gone.memories }), notes: gone.notes }),
    );
    heading.current?.focus(); // its button is gone
  };
  const verbs = writes && {
    busy: doing.busy,
    onSwitch: (document) =>
      doing.run(
        () => knowledge.switchDocument(base, document.id, !document.enabled),
        ({ enabled }) => ({ text: t(`knowledge.now.${enabled ? "enabled" : "disabled"}`, { title: document.title || document.address }) }),
      ),
    onReplace: (document, file) =>
      uploads.put(base, [{ file, name: file.name }], { document: document.id, largest: here.largest }),
    onRemove: setRemoving,
  };
  return html`
    ${writes && html`<${Upload} base=${base} here=${here} uploads=${uploads} />`}
    <h2 ref=${heading} tabindex="-1">${t("knowledge.documents")} ${answer && html`<span class="count">${answer.found.length}${answer.more && "+"}</span>`}</h2>
    <${Said} doing=${doing} />
    <${ProblemNote} problem=${problem} onAgain=${reload} />
    ${answer?.found.length === 0 && html`<p class="empty">${t(writes ? "knowledge.documents.none" : "knowledge.documents.none.reader")}</p>`}
    <ul class="documents">
      ${answer?.found.map((document) => html`<li key=${document.id}><${Document} base=${base} document=${document} verbs=${verbs} /></li>`)}
    </ul>
    ${answer?.more && html`<button type="button" class="quiet" onClick=${() => setMost(most + PAGE)}>${t("tiers.more")}</button>`}
    ${removing &&
    html`<${Question} title=${t("knowledge.remove.question")} yes=${t("knowledge.remove.yes")} onNo=${() => setRemoving(null)} onYes=${() => remove(removing)}>
      <p><b><${Told} text=${removing.title || removing.address} /></b></p>
      <p>${t("knowledge.remove.means", { count: removing.sections })}</p>
    <//>`}
  `;
}
