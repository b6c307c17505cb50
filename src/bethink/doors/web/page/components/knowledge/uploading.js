// Files on their way in: a few at a time, each with what became of it. They go on while one looks at
// something else.

import { useCallback, useEffect, useRef, useState } from "../../html.js";
import { newKey, send } from "../../knowledge.js";

const AT_ONCE = 2;
export const UNDER_WAY = ["waiting", "sending", "reading"];

export function useUploads(onDone) {
  const [items, setItems] = useState([]);
  const line = useRef({ waiting: [], busy: 0, number: 0 });
  const done = useRef(onDone);
  done.current = onDone;

  const change = (key, fields) =>
    setItems((before) => before.map((item) => (item.key === key ? { ...item, ...fields } : item)));

  const go = async (item) => {
    line.current.busy += 1;
    change(item.key, { state: "sending", sent: 0, problem: null });
    const onSent = (share) => change(item.key, { sent: share, state: share < 1 ? "sending" : "reading" });
    try {
      const outcome = await send({ ...item, key: item.repeat, onSent });
      change(item.key, { state: outcome.fate, outcome });
      done.current();
    } catch (problem) {
      change(item.key, { state: "failed", problem });
    }
    line.current.busy -= 1;
    next();
  };
  const next = () => {
    while (line.current.busy < AT_ONCE && line.current.waiting.length) go(line.current.waiting.shift());
  };
  const put = useCallback((base, files, { document, largest }) => {
    const fresh = files.map(({ file, name }) => ({
      base, document, name, file, key: (line.current.number += 1), repeat: newKey(), state: "waiting", sent: 0,
      tooLarge: file.size > largest ? largest : 0,
    }));
    const taken = fresh.filter((item) => !item.tooLarge);
    setItems((before) => [...before, ...fresh.map((item) => (item.tooLarge ? { ...item, state: "failed" } : item))]);
    line.current.waiting.push(...taken);
    next();
  }, []);
  const again = (item) => {
    line.current.waiting.push(item);
    change(item.key, { state: "waiting" });
    next();
  };
  const clear = (base) =>
    setItems((before) => before.filter((item) => item.base !== base || UNDER_WAY.includes(item.state)));

  const busy = items.some((item) => UNDER_WAY.includes(item.state));
  useEffect(() => {
    if (!busy) return;
    const stay = (event) => event.preventDefault(); // the browser asks before it throws them away
    addEventListener("beforeunload", stay);
    return () => removeEventListener("beforeunload", stay);
  }, [busy]);
  return { items, put, again, clear };
}
