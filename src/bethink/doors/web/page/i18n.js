// Words in two languages. A word that is missing is shown by its name, and fails a test.

import { createContext, useContext } from "./html.js";
import { en } from "./words/en.js";
import { zh } from "./words/zh.js";

export const WORDS = { en, zh };

export const Speaking = createContext({ language: "en", t: (name) => name });

export function speaker(language) {
  const words = WORDS[language];
  const t = (name, values = {}) =>
    (words[name] ?? name).replace(/\{(\w+)\}/g, (whole, one) => String(values[one] ?? whole));
  // A word that the server may add to one day, such as a status: shown as it came.
  const named = (group, word) => words[`${group}.${word}`] ?? word;
  return { language, t, named };
}

export const useWords = () => useContext(Speaking);
