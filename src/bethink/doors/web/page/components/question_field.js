// Where a question is typed. Enter asks, and Shift with Enter begins a line; Enter that ends the
// choosing of a character, as in Chinese, does neither.

import { html } from "../html.js";
import { useWords } from "../i18n.js";

export function QuestionField({ placeholder, value, onChange }) {
  const { t } = useWords();
  const askAtEnter = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
  };
  return html`<label>
    ${t("recalls.question")}
    <textarea name="question" rows="2" required placeholder=${placeholder} value=${value}
      onInput=${(e) => onChange(e.target.value)} onKeyDown=${askAtEnter}></textarea>
  </label>`;
}
