// What stands in each column. Whoever may not review sees what may be recalled, and nothing to decide.

import { api } from "./api.js";

export const LEFT_OUT = ["held", "refused", "ignored", "rejected"];

export async function loadBoard({ space, decision, most }) {
  const reviewed = Promise.all([
    api.offers(space, decision ? [decision] : LEFT_OUT, most),
    api.offers(space, ["admitted"], most),
    api.offers(space, ["promoted"], most),
  ]).catch((problem) => {
    if (problem.status === 403) return null;
    throw problem;
  });
  const [review, working, known] = await Promise.all([
    reviewed,
    api.working(space, most),
    nothingYet(api.memories(space, most), { memories: [], cursor: null }),
  ]);
  const [left, admitted, promoted] = review ?? [{ offers: [] }, { offers: [] }, { offers: [] }];
  const offered = new Map([...admitted.offers, ...promoted.offers].map((offer) => [offer.id, offer]));
  const remembered = new Set(known.memories.map((memory) => memory.id));
  return {
    reviewer: review !== null,
    quarantine: left.offers,
    moreQuarantine: Boolean(left.cursor),
    // Offers expire in working memory and stay in the log: what is still there counts. What was
    // promoted is recent for a while, and stands where it came to.
    working: working.memories
      .filter((memory) => offered.get(memory.id)?.decision !== "promoted" && !remembered.has(memory.id))
      .map((memory) => withOffer(memory, offered, "working")),
    moreWorking: working.memories.length >= most,
    longTerm: longTerm(known.memories, promoted.offers, offered),
    moreLongTerm: Boolean(known.cursor),
  };
}

// A space in which nothing was remembered yet is no mistake of whoever looks at its offers.
async function nothingYet(asked, nothing) {
  try {
    return await asked;
  } catch (problem) {
    if (problem.status === 404) return nothing;
    throw problem;
  }
}

function withOffer(memory, offered, tier) {
  const offer = offered.get(memory.id);
  return offer ? { ...offer, text: memory.text } : { ...memory, tier };
}

// A promoted offer that only counted one more telling of a memory has no memory of its own: it is
// shown all the same, because it can be taken back.
function longTerm(memories, promoted, offered) {
  const own = new Set(memories.map((memory) => memory.id));
  const oldest = memories.length ? memories.at(-1).created_at : "";
  const counted = promoted.filter((offer) => !own.has(offer.id) && offer.decided_at >= oldest);
  const when = (card) => card.decided_at ?? card.created_at;
  return [...memories.map((memory) => withOffer(memory, offered, "long_term")), ...counted].sort((a, b) =>
    when(b).localeCompare(when(a)),
  );
}
