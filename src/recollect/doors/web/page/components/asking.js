// Asking the server from a component: what came, what went wrong, whether it is under way. Of answers
// that overtake each other the last question's counts.

import { useCallback, useRef, useState } from "../html.js";

export function useAsking(ask) {
  const [state, setState] = useState({ answer: null, problem: null, busy: false });
  const turn = useRef(0);
  const run = useCallback(
    async (...given) => {
      const mine = ++turn.current;
      setState((before) => ({ ...before, busy: true }));
      try {
        const answer = await ask(...given);
        if (mine === turn.current) setState({ answer, problem: null, busy: false });
      } catch (problem) {
        if (mine === turn.current) setState((before) => ({ ...before, problem, busy: false }));
      }
    },
    [ask],
  );
  return [state, run];
}
