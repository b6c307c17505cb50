// One tier of the board.

import { html } from "../html.js";
import { useWords } from "../i18n.js";
import { Card } from "./card.js";

export function Column({ name, cards, more, decide, underWay, moved, onMore, children }) {
  const { t } = useWords();
  return html`<section class=${`column ${name}`} aria-labelledby=${`column-${name}`}>
    <div class="column-head">
      <h2 id=${`column-${name}`}>${t(`tiers.${name}`)} <span class="count">${cards.length}${more && "+"}</span></h2>
      ${children}
    </div>
    <p class="about">${t(`tiers.${name}.about`)}</p>
    ${cards.length === 0 && html`<p class="empty">${t("tiers.none")}</p>`}
    <ul class="cards">
      ${cards.map(
        (card) => html`<li key=${card.id}>
          <${Card} card=${card} decide=${decide} underWay=${underWay} fresh=${moved.includes(card.id)} />
        </li>`,
      )}
    </ul>
    ${more && html`<button type="button" class="quiet" onClick=${onMore}>${t("tiers.more")}</button>`}
  </section>`;
}
