// Events as they happen. After a break it goes on from the last one it got, so that none is missed;
// what the server has let go of meanwhile arrives as a `gap`.

import { key } from "./key.js";

export const CONNECTING = "connecting";
export const LIVE = "live";
export const WAITING = "waiting";
export const REFUSED = "refused";

const NO_KEY = 4401;
const FIRST_WAIT = 500; // milliseconds; doubled with every failure
const LONGEST_WAIT = 15_000;
const STEADY = 5_000; // a line that held so long was no failure
const GATHER = 60; // milliseconds: many events are one change of the page

export class Live {
  #socket = null;
  #last = 0; // 0: all that is kept
  #failures = 0;
  #opened = 0;
  #timer = 0;
  #gathered = [];
  #gathering = 0;
  #stopped = true;
  #onEvents;
  #onState;
  #hurry = () => {
    if (this.#timer && document.visibilityState === "visible") this.#connect();
  };

  constructor({ onEvents, onState }) {
    this.#onEvents = onEvents;
    this.#onState = onState;
  }

  start() {
    this.#stopped = false;
    addEventListener("online", this.#hurry);
    document.addEventListener("visibilitychange", this.#hurry);
    this.#connect();
  }

  stop() {
    this.#stopped = true;
    removeEventListener("online", this.#hurry);
    document.removeEventListener("visibilitychange", this.#hurry);
    clearTimeout(this.#timer);
    clearTimeout(this.#gathering);
    this.#socket?.close();
  }

  #connect() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#onState({ state: CONNECTING });
    const address = new URL("ws/events", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#opened = Date.now();
      // A browser cannot send a header here, and an address would stand in logs.
      const greeting = { after: this.#last };
      if (key.get()) greeting.key = key.get();
      socket.send(JSON.stringify(greeting));
      this.#onState({ state: LIVE });
    });
    socket.addEventListener("message", (message) => this.#gather(JSON.parse(message.data)));
    socket.addEventListener("close", (closed) => this.#lost(closed));
  }

  #gather(event) {
    // A first visit has lost nothing: what was before it is simply not kept any more.
    if (event.kind === "gap" && this.#last === 0) {
      this.#last = event.id;
      return;
    }
    this.#last = event.id;
    this.#gathered.push(event);
    this.#gathering ||= setTimeout(() => {
      this.#gathering = 0;
      this.#onEvents(this.#gathered.splice(0));
    }, GATHER);
  }

  #lost(closed) {
    if (this.#stopped) return;
    if (closed.code === NO_KEY) {
      this.#onState({ state: REFUSED, reason: closed.reason });
      return;
    }
    if (this.#opened && Date.now() - this.#opened > STEADY) this.#failures = 0;
    this.#opened = 0;
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#failures) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    this.#onState({ state: WAITING, reason: closed.reason });
    this.#timer = setTimeout(() => this.#connect(), wait);
  }
}
