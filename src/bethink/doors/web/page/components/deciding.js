// Decisions: one at a time for each offer, each with a way back.

import { useCallback, useEffect, useState } from "../html.js";
import { api } from "../api.js";

const NOTICE = 20_000; // milliseconds in which undoing is one click away

const VERBS = {
  promote: (ids, options) => api.promote(ids, options),
  reject: (ids, options) => api.reject(ids, options),
  restore: (ids, options) => api.restore(ids, options),
  undo: ([id]) => api.undo(id),
  apply: (ids, { space }) => api.applyDigest(space),
};

export function useDeciding(onDone) {
  const [notice, setNotice] = useState(null);
  const [fault, setFault] = useState(null);
  const [underWay, setUnderWay] = useState(false);
  const decide = useCallback(
    async (verb, ids, options) => {
      setUnderWay(true);
      try {
        const answer = await VERBS[verb](ids, options);
        const undo = verb !== "undo" && ids.length === 1 ? ids[0] : null;
        setNotice({ verb, undo, count: answer.receipts?.length ?? ids.length });
        setFault(null);
      } catch (problem) {
        setNotice(null);
        setFault(problem);
      }
      setUnderWay(false);
      await onDone();
    },
    [onDone],
  );
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(null), NOTICE);
    return () => clearTimeout(timer);
  }, [notice]);
  return { decide, notice, fault, underWay };
}
