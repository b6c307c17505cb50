// What the rooms know from events. Pure: the old state and a batch of events give the new state.

const MOST_RUNS = 100;
const MOST_RECALLS = 200;
const NEWS = 10_000; // milliseconds: what is replayed from before has moved long ago

export const NOTHING = {
  runs: [], // newest first: { id, spaces, nodes: [visit] }
  recalls: [], // newest first: events of kind retrieval_trace
  tierChanges: 0,
  baseChanges: {}, // of each knowledge base, how many
  moved: [], // ids that changed their tier in the last batch, just now
  spaces: [],
  gaps: 0,
};

export function after(state, events, now = Date.now()) {
  let next = { ...state, moved: [] };
  for (const event of events) next = one(next, event, now);
  next.runs = next.runs.slice(0, MOST_RUNS);
  next.recalls = next.recalls.slice(0, MOST_RECALLS);
  return next;
}

function one(state, event, now) {
  const seen = event.spaces.some((space) => !state.spaces.includes(space))
    ? { ...state, spaces: [...new Set([...state.spaces, ...event.spaces])].sort() }
    : state;
  switch (event.kind) {
    case "node_state_change":
    case "memory_retrieval_error":
      return { ...seen, runs: withNode(seen.runs, event) };
    case "retrieval_trace":
      return { ...seen, recalls: [event, ...seen.recalls] };
    case "tier_change":
      return { ...seen, tierChanges: seen.tierChanges + 1, moved: [...seen.moved, ...justMoved(event, now)] };
    case "knowledge_change":
      return { ...seen, baseChanges: withChanges(seen.baseChanges, event.spaces) };
    case "gap":
      return { ...seen, gaps: seen.gaps + event.data.to - event.data.from + 1 };
    default:
      return seen; // a kind that a later server tells of
  }
}

const justMoved = ({ at, data }, now) => (now - Date.parse(at) < NEWS ? [data.offer_id] : []);

const withChanges = (changes, bases) => ({
  ...changes,
  ...Object.fromEntries(bases.map((base) => [base, (changes[base] ?? 0) + 1])),
});

function withNode(runs, event) {
  const { run: id, node } = event.data;
  const known = runs.find((run) => run.id === id);
  const run = known ?? { id, spaces: event.spaces, began: event.at, nodes: [] };
  const open = run.nodes.findLastIndex((visit) => visit.node === node && visit.state === "running");
  const nodes = [...run.nodes];
  // Without its beginning a visit is shown all the same: the log may have let go of that.
  if (open < 0) nodes.push(changed({ node, key: event.id, began: event.at, state: "running" }, event));
  else nodes[open] = changed(nodes[open], event);
  return [{ ...run, nodes }, ...runs.filter((other) => other !== known)];
}

function changed(visit, { kind, at, data }) {
  if (kind === "memory_retrieval_error") return { ...visit, error: data.error };
  if (data.state === "running") return visit;
  const error = data.error ?? visit.error;
  return { ...visit, ...data, error, ended: at, state: error ? "failed" : data.state };
}
