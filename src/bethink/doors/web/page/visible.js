// Text of memories is shown as it is, and what it hides is shown too: control characters, characters
// that turn the direction of reading, and those that nobody can see.

// Line breaks and tabs are text; a joiner between two pictures makes one picture of them.
const HIDDEN = /(?<!\p{Extended_Pictographic}\uFE0F?)\u200D|\u200D(?!\p{Extended_Pictographic})|(?![\n\t\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/u;
const RUN = new RegExp(`(?:${HIDDEN.source})+`, "gu");
const SPELLED = 3; // of a run; the rest is counted

// What to show, in order: strings, and { mark, title } for what was hidden.
export function visible(text) {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(RUN)) {
    if (found.index > end) parts.push(text.slice(end, found.index));
    parts.push(marked([...found[0]]));
    end = found.index + found[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

// The same where only plain text can stand, such as in a list to choose from.
export const inPlainText = (text) =>
  visible(text)
    .map((part) => (typeof part === "string" ? part : `[${part.mark}]`))
    .join("");

function marked(characters) {
  const names = characters.map((one) => `U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  const more = names.length > SPELLED ? ` +${names.length - SPELLED}` : "";
  return { mark: names.slice(0, SPELLED).join(" ") + more, title: names.join(" "), spelled: spelled(characters) };
}

// Tags are ASCII that no eye sees: a favourite way to hide orders.
function spelled(characters) {
  return characters
    .map((one) => one.codePointAt(0) - 0xe0000)
    .filter((code) => code >= 0x20 && code < 0x7f)
    .map((code) => String.fromCharCode(code))
    .join("");
}
