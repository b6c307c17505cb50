// Runs of workflows: their nodes in the order they began, each in the state it is in now.

import { html, useEffect, useState } from "../html.js";
import { useWords } from "../i18n.js";
import { elapsed, lasted, moment } from "../times.js";
import { Badge } from "../components/badge.js";
import { Told } from "../components/told.js";

const CHOICES = ["all", "running", "completed", "failed"];

export function WorkflowRoom({ happened }) {
  const { t } = useWords();
  const [choice, setChoice] = useState("all");
  const visits = happened.runs.flatMap((run) => run.nodes);
  const count = (state) => visits.filter((visit) => visit.state === state).length;
  const now = useNow(count("running") > 0);
  const shown = happened.runs.filter((run) => choice === "all" || run.nodes.some((visit) => visit.state === choice));
  return html`<section aria-labelledby="workflow-title">
    <h1 id="workflow-title">${t("room.workflow")}</h1>
    <p class="about">${t("workflow.about")}</p>
    <fieldset class="switches">
      <legend class="visually-hidden">${t("workflow.show")}</legend>
      ${CHOICES.map(
        (name) => html`<label key=${name}>
          <input type="radio" name="show" value=${name} checked=${name === choice} onChange=${() => setChoice(name)} />
          <span>${t(`workflow.${name}`)} <b>${name === "all" ? visits.length : count(name)}</b></span>
        </label>`,
      )}
    </fieldset>
    ${happened.runs.length === 0 && html`<p class="empty">${t("workflow.none")}</p>`}
    ${happened.runs.length > 0 && shown.length === 0 && html`<p class="empty">${t("workflow.nothing")}</p>`}
    <div class="runs">${shown.map((run) => html`<${Run} key=${run.id} run=${run} now=${now} />`)}</div>
  </section>`;
}

function Run({ run, now }) {
  const { t, language } = useWords();
  return html`<article class="run card">
    <div class="card-head">
      <h2>${t("workflow.run")} <code><${Told} text=${run.id} /></code></h2>
      ${run.spaces.map((space) => html`<span key=${space} class="badge calm"><${Told} text=${space} /></span>`)}
      <span class="faint">${t("workflow.began", { time: moment(run.began, language) })}</span>
    </div>
    <ol class="nodes">${run.nodes.map((visit) => html`<${Node} key=${visit.key} visit=${visit} now=${now} />`)}</ol>
  </article>`;
}

function Node({ visit, now }) {
  const { t } = useWords();
  const running = visit.state === "running";
  return html`<li class=${`node ${visit.state}`}>
    <div class="node-name"><${Told} text=${visit.node} /></div>
    <div class="node-state">
      <${Badge} group="state" word=${visit.state} />
      ${visit.status && visit.status !== "answered" && html`<${Badge} group="status" word=${visit.status} />`}
    </div>
    <div class="faint number">
      ${running
        ? t("workflow.since", { time: elapsed(now - new Date(visit.began)) })
        : `${t("workflow.hits", { count: visit.hits })} · ${lasted(visit.milliseconds)}`}
    </div>
    ${visit.error && html`<p class="fault"><${Told} text=${visit.error} /></p>`}
    ${visit.emit_error && html`<p class="fault">${t("workflow.emit")}: <${Told} text=${visit.emit_error} /></p>`}
  </li>`;
}

// The time, moving only while something is waited for.
function useNow(moving) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!moving) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [moving]);
  return now;
}
