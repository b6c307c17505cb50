// What a score and a relevance are made of, and where each channel had the passage.

import { html } from "../html.js";
import { useWords } from "../i18n.js";

// The same part has the same colour everywhere; --part-8 is for any other.
const ORDER = ["relevance", "meaning", "words", "reinforcement", "recency", "access", "period", "neighbours"];

const colour = (name) => {
  const known = ORDER.indexOf(name);
  return known < 0 ? ORDER.length : known;
};
const written = (value) => value.toFixed(3).replace("-", "−");
const logOdds = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;

// A part may be that of a channel.
const partName = (named, name) => named("part", named("channel", name));

export function Score({ score, parts }) {
  const { t, named } = useWords();
  const said = (name) => partName(named, name);
  const shown = Object.entries(parts).filter(([, value]) => Math.abs(value) >= 0.0005);
  // A score of 1 fills the bar; where parts take away, what is given may be longer.
  const whole = Math.max(1, shown.reduce((sum, [, value]) => sum + Math.max(0, value), 0));
  return html`<div class="score">
    <span class="score-value"><span class="visually-hidden">${t("recalls.made_of")} </span>${score.toFixed(3)}</span>
    <div class="score-bar" aria-hidden="true">
      ${shown.map(
        ([name, value]) => html`<span
          key=${name}
          class=${`part-${colour(name)} ${value < 0 ? "taken" : ""}`}
          style=${{ width: `${(Math.abs(value) / whole) * 100}%` }}
        ></span>`,
      )}
    </div>
    <ul class="score-parts">
      ${shown.map(
        ([name, value]) =>
          html`<li key=${name}><span class=${`dot part-${colour(name)}`} aria-hidden="true"></span>${said(name)} ${written(value)}</li>`,
      )}
    </ul>
  </div>`;
}

// The log-odds that add up to the relevance, by name. Events of older versions have none.
export function Evidence({ relevance = null, evidence = {} }) {
  const { t, named } = useWords();
  const shown = Object.entries(evidence).filter(([, value]) => Math.abs(value) >= 0.005);
  if (relevance === null || !shown.length) return null;
  return html`<div class="evidence">
    <span>${t("recalls.evidence", { value: relevance.toFixed(3) })}</span>
    <ul aria-label=${t("recalls.evidence.about")}>
      ${shown.map(([name, value]) => html`<li key=${name}>${partName(named, name)} ${logOdds(value)}</li>`)}
    </ul>
  </div>`;
}

export function Channels({ channels }) {
  const { t, named } = useWords();
  const places = Object.entries(channels).sort((a, b) => a[1].rank - b[1].rank);
  if (!places.length) return null;
  return html`<ul class="channels" aria-label=${t("recalls.found_by")}>
    ${places.map(
      ([name, place]) =>
        html`<li key=${name} title=${String(place.score)}>${t("recalls.rank", { channel: named("channel", name), rank: place.rank + 1 })}</li>`,
    )}
  </ul>`;
}
