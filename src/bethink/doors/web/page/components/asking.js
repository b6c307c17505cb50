// Asking the server from a component: what came, what went wrong, whether it is under way. Of answers
// that overtake each other the last question's counts.

import { useCallback, useEffect, useRef, useState } from "../html.js";

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

const QUIET = 250; // milliseconds: many changes at once are asked about once

// The same, kept up to date: asked again after every change, one question at a time.
export function useFollowing(ask, changes, wanted = true) {
  const [state, run] = useAsking(ask);
  const line = useRef({ busy: false, again: false, run });
  line.current.run = run;
  const load = useCallback(async () => {
    const mine = line.current;
    mine.again = true;
    if (mine.busy) return;
    mine.busy = true;
    while (mine.again) {
      mine.again = false;
      await mine.run();
    }
    mine.busy = false;
  }, []);
  useEffect(() => void (wanted && load()), [run, wanted]);
  useEffect(() => {
    if (!changes || !wanted) return;
    const timer = setTimeout(load, QUIET);
    return () => clearTimeout(timer);
  }, [changes, wanted]);
  return [state, load];
}
