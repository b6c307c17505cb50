// What the server knows of knowledge bases.

import { addressOf, ask, at, headersOf, post, Problem, problemOf } from "./api.js";

const SECONDS = 180; // for a file on its way: the server says itself when it took too long
const AT_ONCE = 500;
const EACH = 10;

export const knowledge = {
  bases: () => ask(at("knowledge")),
  documents: (base, most) => pages(at("knowledge", base, "documents"), "documents", most),
  document: (base, id, after, limit) => ask(at("knowledge", base, "documents", id), { query: { after, limit } }),
  switchDocument: (base, id, on) => post(at("knowledge", base, "documents", id, on ? "enable" : "disable")),
  removeDocument: (base, id) => ask(at("knowledge", base, "documents", id), { method: "DELETE" }),
  search: (base, asked) => post(at("knowledge", base, "search"), asked),
  ask: (base, asked) => post(at("knowledge", base, "ask"), asked),
  entries: (base, most) => pages(at("knowledge", base, "faq"), "entries", most),
  findEntries,
  tell: (base, entry) => post(at("knowledge", base, "faq"), entry),
  switchEntry: (base, id, on) => post(at("knowledge", base, "faq", id, on ? "enable" : "disable")),
  removeEntry: (base, id) => ask(at("knowledge", base, "faq", id), { method: "DELETE" }),
  importEntries: (base, file, dryRun) =>
    ask(at("knowledge", base, "faq", "import"), { method: "POST", query: { name: file.name, dry_run: dryRun }, file }),
};

// As many as are wanted, and whether there are more.
async function pages(path, name, most) {
  const found = [];
  let cursor;
  do {
    const limit = Math.min(AT_ONCE, most - found.length);
    const page = await ask(path, { query: { limit, cursor } });
    found.push(...page[name]);
    cursor = page.cursor ?? undefined;
  } while (cursor && found.length < most);
  return { found, more: Boolean(cursor) };
}

// Entries by what they say; an entry that was removed meanwhile is left out.
async function findEntries(base, question) {
  const asked = { query_text: question, where: { kind: "faq" }, match_count: EACH, explain: true };
  const { hits, reasons, status } = await knowledge.search(base, asked);
  const ids = [...new Set(hits.map((hit) => hit.id))];
  const found = await Promise.allSettled(ids.map((id) => ask(at("knowledge", base, "faq", id))));
  return { found: found.filter((one) => one.value).map((one) => one.value), more: false, reasons, status };
}

// A file on its way in. `fetch` does not say how much has gone, this does. Sent again under the same
// key it is not done again: the server says how it went.
export function send({ base, document, name, file, key, onSent }) {
  const path = document ? at("knowledge", base, "documents", document) : at("knowledge", base, "documents");
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open(document ? "PUT" : "POST", addressOf(path, { name }));
    const headers = { ...headersOf(), "Content-Type": "application/octet-stream", "Idempotency-Key": key };
    for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value);
    request.responseType = "json";
    request.timeout = SECONDS * 1000;
    request.upload.addEventListener("progress", ({ loaded, total }) => onSent(total ? loaded / total : 1));
    request.upload.addEventListener("load", () => onSent(1));
    request.addEventListener("error", () => failed(new Problem(0, "unreachable", "")));
    request.addEventListener("timeout", () => failed(new Problem(0, "timeout", "")));
    request.addEventListener("load", () => {
      const { status, statusText, response } = request;
      if (status >= 200 && status < 300) done(response);
      else failed(problemOf(status, response, statusText));
    });
    request.send(file);
  });
}

export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
