// The one place that knows the libraries.

import { createContext, h, render } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export { createContext, render };
export {
  useCallback,
  useContext,
  useEffect,
  useErrorBoundary,
  useId,
  useMemo,
  useRef,
  useState,
} from "./vendor/hooks.js";

export const html = htm.bind(h);
