// Asking a base, or searching it. Looking here counts as no access.

import { html, useCallback, useEffect, useState } from "../../html.js";
import { knowledge } from "../../knowledge.js";
import { useWords } from "../../i18n.js";
import { inPlainText } from "../../visible.js";
import { useAsking } from "../asking.js";
import { Choice } from "../header.js";
import { ProblemNote } from "../problem.js";
import { QuestionField } from "../question_field.js";
import { AnswerOfBase } from "./answer_of_base.js";

const LISTED = 500; // documents to choose from

export function AskingBase({ base, here, onProblem }) {
  const { t } = useWords();
  const ask = useCallback(
    async (how, asked) =>
      how === "ask"
        ? { how, ...(await knowledge.ask(base, asked)) }
        : { how, passages: await knowledge.search(base, asked), known: true, by: "passages" },
    [base],
  );
  const [{ answer, problem, busy }, run] = useAsking(ask);
  useEffect(() => void (problem && onProblem(problem)), [problem]);
  return html`<${Form} base=${base} here=${here} busy=${busy} onAsk=${run} />
    <${ProblemNote} problem=${problem} />
    <div aria-live="polite" aria-busy=${String(busy)}>
      ${busy && !answer && html`<p class="about">${t("recalls.asking")}</p>`}
      ${answer && !problem && html`<${AnswerOfBase} answer=${answer} />`}
    </div>`;
}

function Form({ base, here, busy, onAsk }) {
  const { t } = useWords();
  const [question, setQuestion] = useState("");
  const [document, setDocument] = useState("");
  const [web, setWeb] = useState(false);
  const list = useCallback(() => knowledge.documents(base, LISTED), [base]);
  const [{ answer: documents }, load] = useAsking(list);
  useEffect(() => void load(), [list]);

  const submit = (event) => {
    event.preventDefault();
    const asked = { query_text: question, explain: true };
    if (document) asked.documents = [document];
    if (web) asked.web = true;
    onAsk(event.submitter?.value ?? "ask", asked);
  };
  return html`<form class="question card" onSubmit=${submit}>
    <${QuestionField} placeholder=${t("knowledge.placeholder")} value=${question} onChange=${setQuestion} />
    <div class="row">
      <${Choice} label=${t("knowledge.document")} shown value=${document} onChange=${setDocument}
        options=${[["", t("knowledge.document.all")], ...(documents?.found.map((one) => [one.id, inPlainText(one.title || one.address)]) ?? [])]} />
      ${here.web && html`<label class="tick"><input type="checkbox" name="web" checked=${web} onChange=${(e) => setWeb(e.target.checked)} /> ${t("knowledge.web")}</label>`}
    </div>
    <div class="row">
      <button class="primary" name="how" value="ask" disabled=${busy}>${t("recalls.ask")}</button>
      <button name="how" value="search" disabled=${busy}>${t("knowledge.search")}</button>
      <span class="faint">${busy ? t("recalls.asking") : t("recalls.touch")}</span>
    </div>
  </form>`;
}
