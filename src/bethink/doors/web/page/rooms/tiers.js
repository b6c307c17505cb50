// The board of the three tiers. Whoever decides something anywhere, it moves here too.

import { html, useCallback, useEffect, useState } from "../html.js";
import { useWords } from "../i18n.js";
import { Choice } from "../components/header.js";
import { Column } from "../components/column.js";
import { Digest } from "../components/digest.js";
import { useFollowing } from "../components/asking.js";
import { useDeciding } from "../components/deciding.js";
import { ProblemNote } from "../components/problem.js";
import { LEFT_OUT, loadBoard } from "../board.js";

const PAGE = 20;

export function TiersRoom({ happened, spaces, onProblem }) {
  const { t } = useWords();
  const [space, setSpace] = useState("");
  const [decision, setDecision] = useState("");
  const [most, setMost] = useState(PAGE);
  const load = useCallback(() => loadBoard({ space, decision, most }), [space, decision, most]);
  const [{ answer: board, problem, busy }, reload] = useFollowing(load, happened.tierChanges);
  const { decide, notice, fault, underWay } = useDeciding(reload);

  useEffect(() => void (problem && onProblem(problem)), [problem]);

  const shared = { decide, underWay, moved: happened.moved, onMore: () => setMost(most + PAGE) };
  return html`<section aria-labelledby="tiers-title">
    <div class="room-head">
      <div>
        <h1 id="tiers-title">${t("room.tiers")}</h1>
        <p class="about">${t("tiers.about")}</p>
      </div>
      <div class="row">
        <${Choice} label=${t("tiers.space")} shown value=${space} onChange=${setSpace}
          options=${[["", t("tiers.space.default")], ...spaces.map((name) => [name, name])]} />
        <button type="button" disabled=${busy} onClick=${reload}>${t("tiers.reload")}</button>
      </div>
    </div>
    <div class="notices" role="status">${notice && html`<${Notice} notice=${notice} decide=${decide} />`}</div>
    <${ProblemNote} problem=${fault} />
    <${ProblemNote} problem=${problem} onAgain=${reload} />
    ${board &&
    html`${board.reviewer
        ? html`<${Digest} space=${space} changes=${happened.tierChanges} decide=${decide} underWay=${underWay} />`
        : html`<p class="note warn">${t("tiers.reviewers_only")}</p>`}
      <div class="board">
        <${Column} name="quarantine" cards=${board.quarantine} more=${board.moreQuarantine} ...${shared}>
          <${Choice} label=${t("tiers.decision")} value=${decision} onChange=${setDecision}
            options=${[["", t("tiers.decision.all")], ...LEFT_OUT.map((name) => [name, t(`decision.${name}`)])]} />
        <//>
        <${Column} name="working" cards=${board.working} more=${board.moreWorking} ...${shared} />
        <${Column} name="long_term" cards=${board.longTerm} more=${board.moreLongTerm} ...${shared} />
      </div>`}
  </section>`;
}

function Notice({ notice, decide }) {
  const { t } = useWords();
  return html`<div class="note good">
    <p>${t(`tiers.done.${notice.verb}`, { count: notice.count })}</p>
    ${notice.undo && html`<button type="button" onClick=${() => decide("undo", [notice.undo])}>${t("tiers.undo")}</button>`}
  </div>`;
}
