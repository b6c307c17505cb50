// A question before something that cannot be undone. Escape and the first button keep things as they
// are.

import { html, useEffect, useRef } from "../html.js";
import { useWords } from "../i18n.js";

export function Question({ title, children, yes, onYes, onNo }) {
  const { t } = useWords();
  const dialog = useRef(null);
  useEffect(() => dialog.current.showModal(), []);
  const end = (then) => () => {
    dialog.current.close();
    then();
  };
  return html`<dialog ref=${dialog} class="key-dialog" aria-labelledby="question-title" onCancel=${(e) => (e.preventDefault(), end(onNo)())}>
    <h2 id="question-title">${title}</h2>
    ${children}
    <div class="row">
      <button type="button" onClick=${end(onNo)}>${t("question.no")}</button>
      <button type="button" class="danger" onClick=${end(onYes)}>${yes}</button>
    </div>
  </dialog>`;
}
