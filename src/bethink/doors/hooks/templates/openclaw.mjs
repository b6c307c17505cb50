// Calls `bethink hook` for OpenClaw. Written by 'bethink install openclaw'.
import { spawn } from "node:child_process";

const PROGRAM = @PROGRAM@;
const OPTIONS = @OPTIONS@;
const MILLISECONDS = { start: 6000, prompt: 6000, stop: 20000 };
const MOST_SESSIONS = 1000;

// What the hook says, or nothing: a memory that fails must not keep the agent from answering.
function ask(event, told) {
  return new Promise((resolve) => {
    const [program, ...first] = PROGRAM;
    const words = [...first, "hook", event, "--harness", "openclaw", ...OPTIONS];
    let child;
    try {
      child = spawn(program, words, { stdio: ["pipe", "pipe", "ignore"] });
    } catch {
      resolve("");
      return;
    }
    let out = "";
    const give_up = setTimeout(() => child.kill("SIGKILL"), MILLISECONDS[event]);
    child.on("error", () => resolve(""));
    child.stdin.on("error", () => {});
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (piece) => (out += piece));
    child.on("close", () => {
      clearTimeout(give_up);
      try {
        resolve(out.trim() ? JSON.parse(out).context || "" : "");
      } catch {
        resolve("");
      }
    });
    child.stdin.end(JSON.stringify(told));
  });
}

const about = (context) => ({
  session_id: context?.sessionId || context?.sessionKey || "",
  workspace_dir: context?.workspaceDir || "",
});

// Messages that other agents or the system put in under the user's name are nobody's words to keep.
const by_a_person = (context) =>
  !context?.inputProvenance || context.inputProvenance.kind === "external_user";

const primed = new Set();
const asked = new Map(); // what a person said in a session since its last turn ended

export default {
  id: "bethink",
  name: "Bethink",
  register(api) {
    api.on("before_prompt_build", async (event, context) => {
      const here = about(context);
      const prompt = event?.currentUserMessage ?? event?.prompt ?? "";
      const pieces = [];
      if (asked.size >= MOST_SESSIONS) asked.clear();
      if (event?.currentUserMessage && by_a_person(context)) {
        const content = event.currentUserMessage;
        asked.set(here.session_id, [...(asked.get(here.session_id) || []), { role: "user", content }]);
      }
      if (!primed.has(here.session_id)) {
        if (primed.size >= MOST_SESSIONS) primed.clear();
        primed.add(here.session_id);
        pieces.push(await ask("start", here));
      }
      if (prompt) pieces.push(await ask("prompt", { ...here, prompt }));
      const text = pieces.filter(Boolean).join("\n\n");
      return text ? { prependContext: text } : undefined;
    });
    api.on("agent_end", async (event, context) => {
      if (!by_a_person(context)) return;
      const here = about(context);
      const said = (event?.messages || []).filter((message) => message?.role === "user");
      const messages = asked.get(here.session_id) || said.slice(-20);
      asked.delete(here.session_id);
      if (messages.length) await ask("stop", { ...here, messages });
    });
  },
};
