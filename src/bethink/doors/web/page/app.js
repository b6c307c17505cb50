// The house: one bar, one room at a time, one line of events for all of them.

import { html, render, useEffect, useErrorBoundary, useMemo, useRef, useState } from "./html.js";
import { api } from "./api.js";
import { after, NOTHING } from "./happenings.js";
import { speaker, Speaking } from "./i18n.js";
import { key } from "./key.js";
import { CONNECTING, Live, REFUSED } from "./live.js";
import * as preferences from "./preferences.js";
import { Header } from "./components/header.js";
import { KeyDialog } from "./components/key_dialog.js";
import { ProblemNote } from "./components/problem.js";
import { KnowledgeRoom } from "./rooms/knowledge.js";
import { RecallsRoom } from "./rooms/recalls.js";
import { TiersRoom } from "./rooms/tiers.js";
import { WorkflowRoom } from "./rooms/workflow.js";

// A new room is a file in rooms/, a line here and its words.
const ROOMS = { workflow: WorkflowRoom, recalls: RecallsRoom, tiers: TiersRoom, knowledge: KnowledgeRoom };

// The address names the room, and behind it the place in it: #knowledge/handbook/ask
function named() {
  const [name, ...place] = location.hash.slice(1).split("/").map(decoded);
  return Object.hasOwn(ROOMS, name) ? { room: name, place } : { room: "workflow", place: [] };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // somebody wrote the address by hand
  }
}

function App() {
  const [language, setLanguage] = useState(preferences.language);
  const [theme, setTheme] = useState(preferences.theme);
  const words = useMemo(() => speaker(language), [language]);
  const { room, place, onPlace } = useRoom(words);
  const { visit, needsKey, problem, status, enter, leave } = useEntrance();
  const { happened, live, forgive } = useHappenings(status, visit, leave);
  const [fault] = useErrorBoundary();
  useEffect(() => preferences.setLanguage(language), [language]);
  const Room = ROOMS[room];
  const spaces = [...new Set([...(status?.spaces.map((space) => space.name) ?? []), ...happened.spaces])].sort();

  return html`<${Speaking.Provider} value=${words}>
    <${Header}
      rooms=${Object.keys(ROOMS)}
      room=${room}
      live=${live}
      theme=${theme}
      onTheme=${(name) => (preferences.setTheme(name), setTheme(name))}
      onLanguage=${setLanguage}
      onForgetKey=${key.get() && !needsKey ? leave : null}
    />
    <main id="room" tabindex="-1">
      ${fault && html`<p class="note bad" role="alert">${words.t("problem.page", { what: fault.message })}</p>`}
      ${happened.gaps > 0 &&
      html`<div class="note warn" role="status">
        <p>${words.t("live.gap", { count: happened.gaps })}</p>
        <button type="button" onClick=${forgive}>${words.t("dismiss")}</button>
      </div>`}
      <${ProblemNote} problem=${problem} onAgain=${enter} />
      ${status && !fault && html`<${Room} key=${`${room} ${visit}`} happened=${happened} spaces=${spaces} place=${place} onPlace=${onPlace} onProblem=${(p) => p.status === 401 && leave()} />`}
    </main>
    ${needsKey && html`<${KeyDialog} key=${visit} onAccepted=${enter} />`}
  <//>`;
}

// The room that the address names. Going there moves the focus, as following a link does; going about
// in it does not.
function useRoom(words) {
  const [{ room, place }, setHere] = useState(named);
  const last = useRef(room);
  useEffect(() => {
    const go = () => {
      const here = named();
      setHere(here);
      if (here.room !== last.current) document.getElementById("room").focus();
      last.current = here.room;
    };
    addEventListener("hashchange", go);
    return () => removeEventListener("hashchange", go);
  }, []);
  useEffect(() => {
    document.title = `${words.t(`room.${room}`)} · Bethink`;
  }, [room, words]);
  const onPlace = (...parts) => {
    location.hash = [room, ...parts].map(encodeURIComponent).join("/");
  };
  return { room, place, onPlace };
}

// Who one is here: nobody yet, somebody, or somebody whose key is refused. Each visit starts afresh.
function useEntrance() {
  const [state, setState] = useState({ visit: 0, status: null, needsKey: false, problem: null });
  const enter = async () => {
    try {
      const status = await api.status();
      setState((before) => ({ visit: before.visit + 1, status, needsKey: false, problem: null }));
    } catch (problem) {
      if (problem.status === 401) leave();
      else setState((before) => ({ ...before, problem }));
    }
  };
  const leave = () => {
    key.drop();
    setState((before) => ({ visit: before.visit + 1, status: null, needsKey: true, problem: null }));
  };
  useEffect(() => void enter(), []);
  return { ...state, enter, leave };
}

function useHappenings(status, visit, onRefused) {
  const [happened, setHappened] = useState(NOTHING);
  const [live, setLive] = useState({ state: CONNECTING });
  const refused = useRef(onRefused);
  refused.current = onRefused;
  useEffect(() => {
    setHappened(NOTHING);
    if (!status) {
      setLive({ state: visit ? REFUSED : CONNECTING });
      return;
    }
    const line = new Live({
      onEvents: (events) => setHappened((before) => after(before, events)),
      onState: (state) => {
        setLive(state);
        if (state.state === REFUSED) refused.current();
      },
    });
    line.start();
    return () => line.stop();
  }, [visit]);
  return { happened, live, forgive: () => setHappened((before) => ({ ...before, gaps: 0 })) };
}

const place = document.getElementById("app");
place.replaceChildren();
render(html`<${App} />`, place);
