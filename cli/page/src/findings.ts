// The findings: a list, and below it the chosen one with its picture, the help, the remedy, the
// notes and the chain of happens-before.

import { byId, h } from "./dom";
import { position, triple } from "./data";
import type { Finding, Place } from "./data";
import { isPair, isStuck, number } from "./links";
import { placeOf, racePicture, verb } from "./race";
import type { Store } from "./state";

function list(title: string, items: string[] | undefined): HTMLElement | null {
  if (!items || items.length === 0) return null;
  const rows = items.map((item) => h("li", {}, item));
  return h("section", {}, h("h4", {}, title), h("ul", {}, ...rows));
}

function places(statement: string, at: Place[] | undefined, file: string): HTMLElement[] {
  return (at ?? []).map((place) =>
    h("li", {}, h("code", {}, statement), ` ${place.side} line ${place.line} of `,
      place.file ?? file),
  );
}

function remedy(store: Store, finding: Finding): HTMLElement | null {
  const { remedy: of } = finding;
  if (!of) return null;
  const name = store.document.ptx.name;
  return h("section", {}, h("h4", {}, "With this the finding is gone"),
    h("ul", {}, ...places(of.statement, of.source, "the source"),
      ...places(of.ptx_statement, of.ptx, name)));
}

function accesses(store: Store, finding: Finding, steps: number[]): HTMLElement {
  const rows = finding.accesses.map((access, index) => {
    const at = steps[index];
    const where = [position(access.source), `PTX line ${access.ptx_line}`].filter(Boolean);
    const go = at >= 0
      ? h("button", { onclick: () => store.go(at) },
        `Go to (${number(finding, index)}): step ${store.trace.steps[at].step}`)
      : finding.elsewhere === undefined && h("span", {}, "This trace does not hold this access.");
    return h("li", {}, `(${number(finding, index)}) thread ${triple(access.thread)} of block ` +
      `${triple(access.block)}, warp ${access.warp}, lane ${access.lane}: ${access.op} at ` +
      `${where.join(", ")}. `, go);
  });
  if (!isStuck(finding)) rows.reverse();
  return h("section", {}, h("h4", {}, isStuck(finding) ? "Who waits" : "Accesses"),
    h("ul", { class: "plain" }, ...rows));
}

function detail(store: Store, index: number): HTMLElement {
  const finding = store.document.findings[index];
  const { steps } = store.links(index);
  const times = finding.count === 1 ? "" : `It happened ${finding.count} times. This is the first.`;
  return h("article", {},
    h("h3", {}, finding.message),
    finding.elsewhere !== undefined &&
      h("p", {}, `The page shows another launch. This was found in ${finding.elsewhere}.`),
    isPair(finding) && racePicture(store, finding, steps),
    finding.help !== undefined && h("p", { class: "help" }, h("b", {}, "Help: "), finding.help),
    remedy(store, finding),
    finding.accesses.length > 0 && accesses(store, finding, steps),
    times !== "" && h("p", {}, times),
    list("Notes", finding.notes),
    list("What orders the two, and what does not", finding.chain),
    finding.replay !== undefined && h("section", {}, h("h4", {}, "Replay"),
      h("code", { class: "command" }, finding.replay)),
  );
}

/** A line of the list. */
function brief(store: Store, finding: Finding, index: number): string {
  const lines = finding.accesses.map((access) =>
    access.source ? String(access.source.line) : `PTX ${access.ptx_line}`);
  const { severity, code, message } = finding;
  if (!isPair(finding)) return `${index + 1}. ${severity} ${code}: ${message}`;
  const [late, early] = finding.accesses;
  const lineText = lines[0] === lines[1] ? `line ${lines[0]}` : `lines ${lines[1]} and ${lines[0]}`;
  return `${index + 1}. ${code}: (1) ${verb(early.op)}, (2) ${verb(late.op)} ` +
    `${placeOf(store, finding)}, ${lineText}`;
}

export function findings(store: Store): void {
  const { findings: all } = store.document;
  const box = byId("finding-list");
  const shown = byId("finding-detail");
  const buttons = all.map((finding, index) =>
    h("button", { "aria-pressed": "false", onclick: () => store.choose(index) },
      brief(store, finding, index)));
  box.append(...buttons.map((button) => h("li", {}, button)));
  byId("finding-none").hidden = all.length > 0;
  byId("finding-some").hidden = all.length === 0;
  store.watch((state, before) => {
    const isSame = before && before.finding === state.finding && before.run === state.run;
    if (isSame) return;
    buttons.forEach((button, i) =>
      button.setAttribute("aria-pressed", String(i === state.finding)));
    const chosen = buttons[state.finding];
    if (chosen) box.scrollTop = chosen.offsetTop - box.offsetTop - 6;
    if (state.finding >= 0) shown.replaceChildren(detail(store, state.finding));
    else shown.replaceChildren(h("p", {}, "Choose a finding."));
    byId("panel-findings").scrollTop = 0;
  });
}
