// The frequent questions of a base: listed or searched, told, imported.

import { html, useCallback, useEffect, useRef, useState } from "../../html.js";
import { knowledge } from "../../knowledge.js";
import { useWords } from "../../i18n.js";
import { Reasons } from "../answer.js";
import { useFollowing } from "../asking.js";
import { ProblemNote } from "../problem.js";
import { Question } from "../question.js";
import { Told } from "../told.js";
import { Said, useDoing } from "./doing.js";
import { Entry } from "./entry.js";
import { EntryForm } from "./entry_form.js";
import { Importing } from "./importing.js";

const PAGE = 50;
const NEW = "new"; // no entry has this for its id: ours begin with the base

export function Entries({ base, writes, changes, onChanged, onProblem }) {
  const { t } = useWords();
  const [most, setMost] = useState(PAGE);
  const [question, setQuestion] = useState("");
  const [editing, setEditing] = useState("");
  const [removing, setRemoving] = useState(null);
  const heading = useRef(null);
  const load = useCallback(
    () => (question ? knowledge.findEntries(base, question) : knowledge.entries(base, most)),
    [base, question, most],
  );
  const [{ answer, problem }, reload] = useFollowing(load, changes);
  const doing = useDoing(() => Promise.all([reload(), onChanged()]));
  useEffect(() => void (problem && onProblem(problem)), [problem]);

  const tell = async (entry) => {
    const done = await doing.run(
      () => knowledge.tell(base, entry),
      ({ action, notes }) => ({ text: t(`faq.told.${action}`, { question: entry.question }), notes }),
    );
    if (done) setEditing("");
    if (done) heading.current?.focus();
  };
  const remove = async (entry) => {
    setRemoving(null);
    await doing.run(
      () => knowledge.removeEntry(base, entry.memory_id),
      ({ notes }) => ({ text: t("faq.removed", { question: entry.question }), notes }),
    );
    heading.current?.focus();
  };
  const verbs = writes && {
    busy: doing.busy,
    onEdit: (entry) => setEditing(entry.memory_id),
    onRemove: setRemoving,
    onSwitch: (entry) =>
      doing.run(
        () => knowledge.switchEntry(base, entry.memory_id, !entry.enabled),
        ({ enabled }) => ({ text: t(`knowledge.now.${enabled ? "enabled" : "disabled"}`, { title: entry.question }) }),
      ),
  };
  const form = (entry) => html`<${EntryForm} entry=${entry} busy=${doing.busy} onTell=${tell} onNo=${() => setEditing("")} />`;
  return html`
    <div class="room-head">
      <${Finding} question=${question} onFind=${setQuestion} />
      ${writes && html`<button type="button" class="primary" disabled=${editing === NEW} onClick=${() => setEditing(NEW)}>${t("faq.add")}</button>`}
    </div>
    ${writes && html`<${Importing} base=${base} onDone=${() => Promise.all([reload(), onChanged()])} />`}
    ${editing === NEW && form(null)}
    <h2 ref=${heading} tabindex="-1">${t(question ? "faq.found" : "knowledge.part.faq")} ${answer && html`<span class="count">${answer.found.length}${answer.more && "+"}</span>`}</h2>
    <${Said} doing=${doing} />
    <${ProblemNote} problem=${problem} onAgain=${reload} />
    ${question && answer?.reasons && html`<${Reasons} reasons=${answer.reasons} />`}
    ${answer?.found.length === 0 && html`<p class="empty">${t(question ? "faq.none.found" : "faq.none")}</p>`}
    <ul class="documents">
      ${answer?.found.map(
        (entry) => html`<li key=${entry.memory_id}>
          ${editing === entry.memory_id ? form(entry) : html`<${Entry} entry=${entry} verbs=${verbs} />`}
        </li>`,
      )}
    </ul>
    ${answer?.more && html`<button type="button" class="quiet" onClick=${() => setMost(most + PAGE)}>${t("tiers.more")}</button>`}
    ${removing &&
    html`<${Question} title=${t("faq.remove.question")} yes=${t("knowledge.remove.yes")} onNo=${() => setRemoving(null)} onYes=${() => remove(removing)}>
      <p><b><${Told} text=${removing.question} /></b></p>
      <p>${t("faq.remove.means")}</p>
    <//>`}
  `;
}

function Finding({ question, onFind }) {
  const { t } = useWords();
  const [typed, setTyped] = useState(question);
  const submit = (event) => {
    event.preventDefault();
    onFind(typed.trim());
  };
  return html`<form class="row finding" role="search" onSubmit=${submit}>
    <label class="grow"><span class="visually-hidden">${t("faq.find")}</span>
      <input type="search" name="find" placeholder=${t("faq.find")} value=${typed} onInput=${(e) => setTyped(e.target.value)} />
    </label>
    <button>${t("knowledge.search")}</button>
    ${question && html`<button type="button" class="quiet" onClick=${() => (setTyped(""), onFind(""))}>${t("faq.all")}</button>`}
  </form>`;
}
