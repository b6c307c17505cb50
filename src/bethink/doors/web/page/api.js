// Asking the server. Every failure is a Problem whose words can be shown as they are.

import { key } from "./key.js";

export class Problem extends Error {
  constructor(status, code, detail) {
    super(detail);
    this.status = status;
    this.code = code;
  }
}

const SECONDS = 60;

// Relative to the page, so that it also works below a path of a proxy.
export function addressOf(path, query = {}) {
  const address = new URL(path, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined && one !== "") address.searchParams.append(name, one);
  }
  return address;
}

export const headersOf = () => (key.get() ? { Authorization: `Bearer ${key.get()}` } : {});

export const problemOf = (status, told, otherwise) =>
  new Problem(status, told?.code ?? "http_error", told?.detail ?? `${status} ${otherwise}`);

// `file` is sent as it is; `body` as JSON.
export async function ask(path, { method = "GET", query = {}, body, file } = {}) {
  const headers = { Accept: "application/json", ...headersOf() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(addressOf(path, query), {
      method,
      headers,
      body: file ?? (body === undefined ? undefined : JSON.stringify(body)),
      cache: "no-store",
      signal: AbortSignal.timeout(SECONDS * 1000),
    });
  } catch (error) {
    throw new Problem(0, error.name === "TimeoutError" ? "timeout" : "unreachable", error.message);
  }
  const told = await answer.json().catch(() => null);
  if (!answer.ok) throw problemOf(answer.status, told, answer.statusText);
  return told;
}

export const at = (...parts) => ["v1", ...parts.map(encodeURIComponent)].join("/");
export const post = (path, body) => ask(path, { method: "POST", body });

export const api = {
  status: () => ask(at("status")),
  caller: () => ask(at("caller")),
  presets: () => ask(at("presets")),
  recall: (body) => post(at("recall"), body),
  context: (body) => post(at("context"), body),
  memory: (id) => ask(at("memories", id)),
  memories: (space, limit) => ask(at("memories"), { query: { space, limit } }),
  working: (space, limit) => ask(at("working"), { query: { space, limit } }),
  offers: (space, decision, limit, cursor) => ask(at("offers"), { query: { space, decision, limit, cursor } }),
  offer: (id) => ask(at("offers", id)),
  promote: (ids, options = {}) => post(at("offers", "promote"), { ids, ...options }),
  reject: (ids, options = {}) => post(at("offers", "reject"), { ids, ...options }),
  restore: (ids, options = {}) => post(at("offers", "restore"), { ids, ...options }),
  undo: (id) => post(at("offers", id, "undo")),
  digest: (space) => ask(at("digest"), { query: { space } }),
  applyDigest: (space) => post(at("digest", "apply"), space ? { space } : {}),
};
