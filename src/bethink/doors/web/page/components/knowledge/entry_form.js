// Telling a frequent question, or changing one. What is not shown here (tags, its id) stays.

import { html, useEffect, useRef, useState } from "../../html.js";
import { useWords } from "../../i18n.js";

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

export function EntryForm({ entry, busy, onTell, onNo }) {
  const { t } = useWords();
  const [question, setQuestion] = useState(entry?.question ?? "");
  const [answers, setAnswers] = useState(entry?.answers ?? [""]);
  const [similar, setSimilar] = useState((entry?.similar ?? []).join("\n"));
  const [negative, setNegative] = useState((entry?.negative ?? []).join("\n"));
  const first = useRef(null);
  useEffect(() => first.current.focus(), []);

  const submit = (event) => {
    event.preventDefault();
    const told = { question, answers: answers.filter((one) => one.trim()), similar: lines(similar), negative: lines(negative) };
    onTell(entry ? { ...told, id: entry.id, tags: entry.tags, source: entry.source } : told);
  };
  const answered = (place, text) => setAnswers(answers.map((one, at) => (at === place ? text : one)));
  return html`<form class="card question entry-form" aria-label=${t(entry ? "faq.edit" : "faq.add")} onSubmit=${submit}>
    <label>${t("recalls.question")}
      <input ref=${first} type="text" name="question" required value=${question} onInput=${(e) => setQuestion(e.target.value)} />
    </label>
    ${answers.map(
      (answer, place) => html`<label key=${place}>${t("faq.answer")}${answers.length > 1 && ` ${place + 1}`}
        <textarea name="answer" rows="3" required=${place === 0} value=${answer} onInput=${(e) => answered(place, e.target.value)}></textarea>
      </label>`,
    )}
    <button type="button" class="quiet" onClick=${() => setAnswers([...answers, ""])}>${t("faq.another")}</button>
    <div class="side-by-side">
      <label>${t("faq.similar")} <span class="faint">(${t("faq.one_a_line")})</span>
        <textarea name="similar" rows="3" value=${similar} onInput=${(e) => setSimilar(e.target.value)}></textarea>
      </label>
      <label>${t("faq.negative")} <span class="faint">(${t("faq.negative.about")})</span>
        <textarea name="negative" rows="3" value=${negative} onInput=${(e) => setNegative(e.target.value)}></textarea>
      </label>
    </div>
    <div class="row">
      <button class="primary" disabled=${busy}>${t("faq.save")}</button>
      <button type="button" onClick=${onNo}>${t("faq.cancel")}</button>
    </div>
  </form>`;
}
