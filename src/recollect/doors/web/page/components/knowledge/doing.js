// Changing something: one at a time, and what came of it is said.

import { html, useState } from "../../html.js";
import { useWords } from "../../i18n.js";
import { ProblemNote } from "../problem.js";
import { Told } from "../told.js";

export function useDoing(onDone) {
  const [state, setState] = useState({ busy: false, said: null, fault: null });
  // `say` makes of the answer what is to be said: { text, notes }
  const run = async (change, say) => {
    setState((before) => ({ ...before, busy: true }));
    let done = true;
    try {
      const answer = await change();
      setState({ busy: false, said: say(answer), fault: null });
    } catch (fault) {
      setState({ busy: false, said: null, fault });
      done = false;
    }
    await onDone();
    return done;
  };
  return { ...state, run };
}

// Always there, so that nothing below jumps more than it must and readers of screens hear it.
export function Said({ doing }) {
  const { t } = useWords();
  const { said, fault } = doing;
  return html`<div class="notices" role="status">
      ${said && html`<div class="note good"><p><${Told} text=${said.text} /></p></div>`}
      ${said?.notes?.map((note, place) => html`<div key=${place} class="note warn"><p>${t("knowledge.left")} <${Told} text=${note} /></p></div>`)}
    </div>
    <${ProblemNote} problem=${fault} />`;
}
