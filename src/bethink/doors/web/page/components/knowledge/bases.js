// Which base one looks at. A new one comes to be when something is put into it.

import { html, useState } from "../../html.js";
import { useWords } from "../../i18n.js";
import { Told } from "../told.js";

export function Bases({ bases, base, writes, onBase }) {
  const { t } = useWords();
  const shown = base && !bases.some((one) => one.name === base) ? [...bases, { name: base, documents: 0, entries: 0 }] : bases;
  return html`<div class="bases">
    ${shown.length > 0
      ? html`<fieldset class="switches">
          <legend class="visually-hidden">${t("knowledge.bases")}</legend>
          ${shown.map(
            (one) => html`<label key=${one.name}>
              <input type="radio" name="base" value=${one.name} checked=${one.name === base} onChange=${() => onBase(one.name)} />
              <span>
                <${Told} text=${one.name} />
                <small>${t("knowledge.counts", { documents: one.documents.toLocaleString(), entries: one.entries.toLocaleString() })}</small>
              </span>
            </label>`,
          )}
        </fieldset>`
      : html`<p class="empty">${t(writes ? "knowledge.none" : "knowledge.none.reader")}</p>`}
    ${writes && html`<${NewBase} onBase=${onBase} open=${!shown.length} />`}
  </div>`;
}

function NewBase({ onBase, open }) {
  const { t } = useWords();
  const [name, setName] = useState("");
  const submit = (event) => {
    event.preventDefault();
    onBase(name.trim());
    setName("");
    event.target.closest("details").open = false;
  };
  return html`<details class="new-base" open=${open}>
    <summary>${t("knowledge.new")}</summary>
    <form class="row" onSubmit=${submit}>
      <label>${t("knowledge.new.name")}
        <input type="text" name="base" required pattern="[\\p{L}\\p{N}][\\p{L}\\p{N}._:@+\\/\\-]*" maxlength="128"
          title=${t("knowledge.new.rule")} placeholder=${t("knowledge.new.example")} value=${name} onInput=${(e) => setName(e.target.value)} />
      </label>
      <button class="primary">${t("knowledge.new.open")}</button>
    </form>
    <p class="faint">${t("knowledge.new.about")}</p>
  </details>`;
}
