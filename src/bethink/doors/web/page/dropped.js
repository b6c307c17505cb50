// What was dropped: files, and the files in folders under the path that they have there. What is
// hidden, and what programs put beside it, is passed over as the command line does.

const PASSED_OVER = /^(\.|node_modules$|__pycache__$)/;
const MOST = 1000;

export async function filesOf(transfer) {
  // Both are gone once this function has waited for anything.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const files = [...transfer.files];
  if (!entries.some((entry) => entry.isDirectory)) return files.map(named);
  const found = [];
  for (const entry of entries) await walk(entry, found);
  return found;
}

export const named = (file) => ({ file, name: file.name });

async function walk(entry, found) {
  if (found.length >= MOST) return;
  if (entry.isFile) {
    const file = await new Promise((done, failed) => entry.file(done, failed));
    found.push({ file, name: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return;
    for (const one of some) if (!PASSED_OVER.test(one.name)) await walk(one, found);
  }
}
