// Bytes, as people read them.

const UNITS = ["B", "KiB", "MiB", "GiB"];

export function size(bytes) {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value < 10 && unit ? value.toFixed(1).replace(".0", "") : Math.round(value)} ${UNITS[unit]}`;
}
