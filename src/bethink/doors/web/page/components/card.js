// What was offered or is remembered: its text, where it came from, what is odd about it, and what can
// be decided.

import { html, useCallback, useState } from "../html.js";
import { api } from "../api.js";
import { useWords } from "../i18n.js";
import { moment } from "../times.js";
import { useAsking } from "./asking.js";
import { Badge } from "./badge.js";
import { ProblemNote } from "./problem.js";
import { Facts, MemoryText, Told, saidBy } from "./told.js";

// What can be done with an offer, by what was decided last. Memories that came another way are not
// reviewed here.
const VERBS = {
  held: ["promote", "restore", "reject"],
  refused: ["promote", "restore", "reject"],
  ignored: ["promote", "restore", "reject"],
  rejected: ["restore", "undo"],
  admitted: ["promote", "reject"],
  promoted: ["undo"],
};

export function Card({ card, decide, underWay, fresh }) {
  const { t, language } = useWords();
  const [reason, setReason] = useState("");
  const verbs = VERBS[card.decision] ?? [];
  const options = reason.trim() ? { reason: reason.trim() } : {};
  return html`<article class=${`card ${fresh ? "fresh" : ""}`}>
    <div class="card-head">
      ${card.decision && html`<${Badge} group="decision" word=${card.decision} />`}
      ${card.provenance?.trust === "unverified" && html`<${Badge} group="memory" word="unverified" />`}
      ${card.risk > 0 && html`<${Risk} risk=${card.risk} />`}
      <span class="faint">${moment(card.offered_at ?? card.created_at, language)}</span>
    </div>
    <${MemoryText} text=${card.text} />
    <${Facts}
      facts=${[
        [t("tiers.why"), card.reason],
        [t("tiers.findings"), card.findings],
        [t("tiers.redacted"), card.redacted],
        [t("tiers.who"), card.who && [card.door ? `${card.who} (${card.door})` : card.who, card.trusted ? t("tiers.trusted") : t("tiers.untrusted")]],
        ...saidBy(card, t),
        [t("tiers.source"), card.source],
      ]}
    />
    ${verbs.length > 0 &&
    html`<div class="verbs">
      ${verbs.map(
        (verb) => html`<button
          key=${verb}
          type="button"
          class=${verb === "promote" && card.decision === "admitted" ? "primary" : ""}
          disabled=${underWay}
          onClick=${() => decide(verb, [card.id], verb === "undo" ? undefined : options)}
        >${t(`tiers.${verb}`)}</button>`,
      )}
    </div>`}
    <${Details} card=${card}>
      ${verbs.some((verb) => verb !== "undo") &&
      html`<label>${t("tiers.reason")}<input type="text" value=${reason} onInput=${(e) => setReason(e.target.value)} /></label>`}
    <//>
  </article>`;
}

function Risk({ risk }) {
  const { t } = useWords();
  return html`<span class="risk">${t("tiers.risk")}
    <meter min="0" max="1" low="0.3" high="0.6" optimum="0" value=${risk}></meter> ${risk.toFixed(2)}</span>`;
}

function Details({ card, children }) {
  const { t, language } = useWords();
  const fetchRulings = useCallback(async () => (await api.offer(card.id)).rulings, [card.id, card.decided_at]);
  const [{ answer: rulings, problem }, load] = useAsking(fetchRulings);
  return html`<details onToggle=${(e) => e.target.open && card.decision && load()}>
    <summary>${t("recalls.details")}</summary>
    ${children}
    <${Facts}
      facts=${[
        [t("memory.id"), card.id],
        [t("memory.space"), card.space],
        [t("memory.kind"), card.kind],
        [t("memory.section"), card.section],
        [t("memory.tags"), card.tags],
        [t("memory.entities"), card.entities],
        [t("tiers.confidence"), card.confidence],
        [t("tiers.parents"), card.parents],
        [t("memory.reinforced"), card.reinforcement ? `${card.reinforcement}×` : ""],
      ]}
    />
    <${ProblemNote} problem=${problem} />
    ${rulings &&
    html`<h3>${t("tiers.rulings")}</h3>
      <ol class="rulings">
        ${rulings.map(
          (ruling, place) => html`<li key=${place}>
            <${Badge} group="decision" word=${ruling.decision} />
            <span class="faint">${moment(ruling.at, language)}${ruling.by && html` · ${t("tiers.by", { who: "" })}<${Told} text=${ruling.by} />`}</span>
            ${ruling.reason && html`<div><${Told} text=${ruling.reason} /></div>`}
          </li>`,
        )}
      </ol>`}
  </details>`;
}
