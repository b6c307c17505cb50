// Changing something: one at a time, and what came of it is said.

import { html, useState } from "../../html.js";
import { useWords } from "../../i18n.js";
import { ProblemNote } from "../problem.js";
import { Told } from "../told.js";

const QUIET = { busy: false, said: null, fault: null };

export function useDoing(onDone) {
  const [state, setState] = useState(QUIET);
  // `say` makes of the answer what is to be said: { text, notes }
  const run = async (change, say) => {
    setState((before) => ({ ...before, busy: true }));
    let done = true;
    try {
      const answer = await change();
      setState({ ...QUIET, said: say(answer) });
    } catch (fault) {
      setState({ ...QUIET, fault });
      done = false;
    }
    await onDone();
    return done;
  };
  return { ...state, run, dismiss: () => setState(QUIET) };
}

// Over what is there, so that no button moves away from under the hand; always in the page, so that
// readers of screens hear it.
export function Said({ doing }) {
  const { t } = useWords();
  const { said, fault } = doing;
  return html`<div class="said">
    <div role="status">
      ${said && html`<div class="note good"><p><${Told} text=${said.text} /></p></div>`}
      ${said?.notes?.map((note, place) => html`<div key=${place} class="note warn"><p>${t("knowledge.left")} <${Told} text=${note} /></p></div>`)}
    </div>
    <${ProblemNote} problem=${fault} />
    ${(said || fault) && html`<button type="button" onClick=${doing.dismiss}>${t("dismiss")}</button>`}
  </div>`;
}
