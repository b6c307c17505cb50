// Asks for a key, tries it, and keeps it for this tab only.

import { html, useEffect, useRef, useState } from "../html.js";
import { useWords } from "../i18n.js";
import { api } from "../api.js";
import { key } from "../key.js";
import { ProblemNote } from "./problem.js";

// No header holds anything else, and it would look as if the server were away.
const SENDABLE = /^[!-~]+$/;

export function KeyDialog({ onAccepted }) {
  const { t } = useWords();
  const dialog = useRef(null);
  const [typed, setTyped] = useState("");
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);

  useEffect(() => {
    dialog.current.showModal();
  }, []);

  const submit = async (event) => {
    event.preventDefault();
    if (!SENDABLE.test(typed.trim())) {
      setProblem({ code: "no_key" });
      return;
    }
    setBusy(true);
    key.set(typed.trim());
    try {
      await api.status();
      dialog.current.close();
      onAccepted();
    } catch (refused) {
      if (refused.status === 401) key.drop();
      setProblem(refused);
      setBusy(false);
    }
  };

  return html`<dialog ref=${dialog} class="key-dialog" aria-labelledby="key-title" onCancel=${(e) => e.preventDefault()}>
    <form onSubmit=${submit}>
      <h2 id="key-title">${t("key.title")}</h2>
      <p>${t("key.why")}</p>
      <label>
        ${t("key.label")}
        <input
          type="password"
          name="key"
          autocomplete="off"
          spellcheck=${false}
          required
          placeholder="bk_…"
          value=${typed}
          onInput=${(e) => setTyped(e.target.value)}
        />
      </label>
      <${ProblemNote} problem=${problem} />
      <button class="primary" disabled=${busy}>${t("key.use")}</button>
      <p class="faint">${t("key.how")}</p>
    </form>
  </dialog>`;
}
