// Pages, slides, rows and chapters, as either language names them.

const UNITS = ["page", "slide", "row", "chapter"];

// `how`: "count" for how many there are, "one" for which; `end` where it goes on to another.
export function placeOf(t, unit, number, how, end = 0) {
  const which = end > number ? `${number}–${end}` : `${number}`;
  return UNITS.includes(unit) ? t(`place.${how}.${unit}`, { number: which }) : `${unit} ${which}`;
}
