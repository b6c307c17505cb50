// What waits, put so that a person can decide in a minute. Comparing everything that waits is work for
// the server, so it is asked when somebody opens this.

import { html, useCallback, useState } from "../html.js";
import { api } from "../api.js";
import { useWords } from "../i18n.js";
import { useFollowing } from "./asking.js";
import { Badge } from "./badge.js";
import { ProblemNote } from "./problem.js";
import { Facts, MemoryText, Told } from "./told.js";

export function Digest({ space, changes, decide, underWay }) {
  const { t } = useWords();
  const [open, setOpen] = useState(false);
  const ask = useCallback(() => api.digest(space), [space]);
  const [{ answer, problem, busy }] = useFollowing(ask, changes, open);
  return html`<details class="card fold digest" onToggle=${(e) => e.target === e.currentTarget && setOpen(e.target.open)}>
    <summary>${t("tiers.digest")}${answer && html` <span class="count">${answer.proposals.length}</span>`}</summary>
    <${ProblemNote} problem=${problem} />
    ${answer
      ? html`<${Proposals} digest=${answer} decide=${decide} underWay=${underWay} space=${space} />`
      : busy && html`<p class="about">${t("tiers.digest.busy")}</p>`}
  </details>`;
}

function Proposals({ digest, decide, underWay, space }) {
  const { t } = useWords();
  const speaks = digest.proposals.some((proposal) => proposal.promote);
  return html`<p class="about">
      ${digest.waiting ? t("tiers.digest.about", { count: digest.waiting }) : t("tiers.digest.none")}
      ${digest.left_out && ` ${t("tiers.digest.left_out")}`}
    </p>
    ${speaks &&
    html`<button type="button" disabled=${underWay} onClick=${() => decide("apply", [], { space })}>${t("tiers.digest.apply")}</button>`}
    <ul class="proposals">
      ${digest.proposals.map(
        (proposal) => html`<li key=${proposal.id}><${Proposal} proposal=${proposal} decide=${decide} underWay=${underWay} /></li>`,
      )}
    </ul>`;
}

function Proposal({ proposal, decide, underWay }) {
  const { t } = useWords();
  const [first, ...alike] = proposal.offers;
  const ids = proposal.offers.map((offer) => offer.id);
  return html`<article class="card proposal">
    <div class="card-head">
      <span class=${`badge ${proposal.promote ? "good" : "calm"}`}>${t(proposal.promote ? "tiers.digest.speaks" : "tiers.digest.silent")}</span>
      <${Badge} group="decision" word=${first.decision} />
      <span class="faint">${t("tiers.digest.sources", { count: proposal.sources })}</span>
    </div>
    <${MemoryText} text=${first.text} short=${160} />
    <${Facts} facts=${[[t("tiers.why"), proposal.reasons]]} />
    ${alike.length > 0 &&
    html`<details>
      <summary>${t("tiers.digest.alike", { count: proposal.offers.length })}</summary>
      <ul class="dropped">${alike.map((offer) => html`<li key=${offer.id}><${Told} text=${offer.text} /></li>`)}</ul>
    </details>`}
    ${proposal.conflicts.map(
      (beside) => html`<div key=${beside.id} class="beside">
        <div class="card-head">
          <${Badge} group="verdict" word=${beside.verdict} />
          <${Badge} group="tier" word=${beside.tier} />
        </div>
        <${MemoryText} text=${beside.text} short=${240} />
        <p class="faint"><${Told} text=${beside.why} /></p>
        ${beside.verdict === "correction" && beside.tier === "long_term" &&
        html`<button type="button" disabled=${underWay} onClick=${() => decide("promote", [first.id], { supersedes: beside.id })}>
          ${t("tiers.digest.replace")}
        </button>`}
      </div>`,
    )}
    <div class="verbs">
      <button type="button" class=${proposal.promote ? "primary" : ""} disabled=${underWay} onClick=${() => decide("promote", [first.id])}>${t("tiers.promote")}</button>
      <button type="button" disabled=${underWay} onClick=${() => decide("reject", ids)}>${t("tiers.reject")}</button>
    </div>
  </article>`;
}
