// Asking, and looking over the shoulder of others who ask.

import { html, useCallback, useEffect, useState } from "../html.js";
import { api } from "../api.js";
import { useWords } from "../i18n.js";
import { Answer } from "../components/answer.js";
import { useAsking } from "../components/asking.js";
import { Choice } from "../components/header.js";
import { ProblemNote } from "../components/problem.js";
import { QuestionField } from "../components/question_field.js";
import { RecallsOfOthers } from "../components/recalls_of_others.js";

export function RecallsRoom({ happened, spaces, onProblem }) {
  const { t } = useWords();
  const recall = useCallback(async (asked) => ({ asked, ...(await api.recall({ ...asked, explain: true })) }), []);
  const [{ answer, problem, busy }, ask] = useAsking(recall);
  useEffect(() => void (problem && onProblem(problem)), [problem]);
  return html`<section aria-labelledby="recalls-title">
    <h1 id="recalls-title">${t("room.recalls")}</h1>
    <p class="about">${t("recalls.about")}</p>
    <div class="two-columns">
      <div>
        <${QuestionForm} spaces=${spaces} busy=${busy} onAsk=${ask} />
        <${ProblemNote} problem=${problem} />
        <div aria-live="polite" aria-busy=${String(busy)}>
          ${answer && !problem && html`<${Answer} answer=${answer} />`}
        </div>
      </div>
      <${RecallsOfOthers} recalls=${happened.recalls} />
    </div>
  </section>`;
}

function QuestionForm({ spaces, busy, onAsk }) {
  const { t } = useWords();
  const [question, setQuestion] = useState("");
  const [preset, setPreset] = useState("");
  const [budget, setBudget] = useState("");
  const [limit, setLimit] = useState("");
  const [chosen, setChosen] = useState([]);
  const [{ answer: presets }, loadPresets] = useAsking(api.presets);
  useEffect(() => void loadPresets(), []);

  const submit = (event) => {
    event.preventDefault();
    // Looking is not using: what a person checks here must not rise by it.
    const asked = { question, touch: false };
    if (preset) asked.preset = preset;
    if (budget) asked.budget = Number(budget);
    if (limit) asked.limit = Number(limit);
    if (chosen.length) asked.spaces = chosen;
    onAsk(asked);
  };
  const toggle = (space) =>
    setChosen(chosen.includes(space) ? chosen.filter((one) => one !== space) : [...chosen, space]);

  return html`<form class="question card" onSubmit=${submit}>
    <${QuestionField} placeholder=${t("recalls.placeholder")} value=${question} onChange=${setQuestion} />
    <div class="options">
      <${Choice} label=${t("recalls.preset")} shown value=${preset} onChange=${setPreset}
        options=${[["", t("recalls.default")], ...(presets?.presets.map(({ name }) => [name, name]) ?? [])]} />
      <label>${t("recalls.budget")}
        <input type="number" name="budget" min="1" step="1" placeholder="1500" value=${budget} onInput=${(e) => setBudget(e.target.value)} />
      </label>
      <label>${t("recalls.limit")}
        <input type="number" name="limit" min="1" step="1" placeholder="10" value=${limit} onInput=${(e) => setLimit(e.target.value)} />
      </label>
    </div>
    ${spaces.length > 0 &&
    html`<fieldset class="chips">
      <legend>${t("recalls.spaces")}${!chosen.length && html` <span class="faint">(${t("recalls.spaces.default")})</span>`}</legend>
      ${spaces.map(
        (space) => html`<label key=${space}>
          <input type="checkbox" name="space" value=${space} checked=${chosen.includes(space)} onChange=${() => toggle(space)} />
          <span>${space}</span>
        </label>`,
      )}
    </fieldset>`}
    <div class="row">
      <button class="primary" disabled=${busy}>${busy ? t("recalls.asking") : t("recalls.ask")}</button>
      <span class="faint">${t("recalls.touch")}</span>
    </div>
  </form>`;
}
