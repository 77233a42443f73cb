// Answers as parts of the page. All texts are text: nothing of a program becomes markup.

import { h } from "../../../page/src/dom";
import { position, triple } from "../../../page/src/data";
import type { Finding } from "../../../page/src/data";
import { number } from "../../../page/src/links";
import type { Buffer, Explored, Ran, Refusal, Verdict } from "./answers";

/** What findings can do to the rest of the page. */
export interface Actions {
  /** Shows a line of the PTX. */
  line(line: number): void;
  /** Takes a schedule into the form. */
  schedule(text: string): void;
}

type Part = HTMLElement | null;

/** An access, with the number that notes call it by. */
function access(all: Finding, index: number, actions: Actions): HTMLElement {
  const of = all.accesses[index];
  const source = position(of.source);
  return h("li", {}, `(${number(all, index)}) `,
    h("code", {}, of.op), ` by thread ${triple(of.thread)} of block ${triple(of.block)}, warp ` +
    `${of.warp}, lane ${of.lane}`, source ? `, ${source} ` : " ",
    h("button", { onclick: () => actions.line(of.ptx_line),
      "aria-label": `Access ${number(all, index)}: PTX line ${of.ptx_line}` }, `PTX line ${of.ptx_line}`));
}

function finding(of: Finding, actions: Actions): HTMLElement {
  const replay = of.replay;
  return h("article", { class: "finding" },
    h("h3", {}, `${of.severity}[${of.code}]: ${of.message}`),
    h("ul", {}, ...of.accesses.map((_, index) => access(of, index, actions)),
      ...(of.notes ?? []).map((note) => h("li", {}, note)),
      of.count > 1 && h("li", {}, `it happened ${of.count} times`)),
    of.help !== undefined && h("p", {}, h("b", {}, "Help: "), of.help),
    replay !== undefined && h("p", {}, "Shown by the schedule ", h("code", {}, replay), " ",
      h("button", { onclick: () => actions.schedule(replay) }, "Use this schedule")));
}

function findings(all: Finding[], none: string, actions: Actions): HTMLElement {
  const title = `Findings (${all.length})`;
  return h("section", { "aria-label": "Findings" }, h("h2", {}, title),
    all.length === 0 && h("p", {}, none), ...all.map((one) => finding(one, actions)));
}

function numbers(of: string[] | undefined): string {
  return (of ?? []).join(" ");
}

function verdict(of: Verdict | undefined): Part {
  if (!of) return null;
  const own = of.input === undefined ? "" : ` for the program's own input of ${of.input} numbers`;
  const head = of.right
    ? h("b", {}, `The result is right${own}.`)
    : h("b", {}, `The result is wrong${own}.`);
  const at = of.at ?? -1;
  const differs = !of.right && at >= 0 && h("p", {},
    `The first number that differs is number ${at}.`);
  return h("div", { class: of.right ? "verdict right" : "verdict wrong", "data-part": "verdict" },
    head, ` This variant is ${of.promised}.`, of.why !== undefined && h("p", {}, of.why), differs,
    !of.right && of.found !== undefined && h("p", {}, "found: ",
      h("code", { class: "cells" }, numbers(of.found))),
    !of.right && of.expected !== undefined && h("p", {}, "expected: ",
      h("code", { class: "cells" }, numbers(of.expected))));
}

function buffers(all: Buffer[], names: string[]): Part {
  if (all.length === 0) return null;
  const rows = all.map((buffer) => h("tr", {},
    h("th", { scope: "row" }, names[buffer.param] ?? `argument ${buffer.param}`),
    h("td", {}, `${buffer.type}[${buffer.len}]`),
    h("td", {}, h("code", { class: "cells", tabindex: 0, role: "group",
      "aria-label": `Cells of argument ${buffer.param}` },
    buffer.values.join(" ") + (buffer.values.length < buffer.len ? " ..." : "")))));
  return h("section", { "aria-label": "Buffers", "data-part": "buffers" }, h("h2", {}, "Buffers"),
    h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "argument"),
      h("th", { scope: "col" }, "type"), h("th", { scope: "col" }, "cells"))),
    h("tbody", {}, ...rows)));
}

function counts(of: Record<string, number>): HTMLElement {
  const words = Object.entries(of).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  return h("p", {}, h("small", {}, words.join(" · ")));
}

function rewritten(of: Ran): Part {
  if (of.rewritten === null) return null;
  return h("details", {}, h("summary", {},
    `The PTX after the pass (${of.remarks} accesses changed)`),
  h("pre", { tabindex: 0, role: "group", "aria-label": "PTX after the pass" }, of.rewritten));
}

function outcome(of: Ran): Part {
  if (of.outcome === "completed") return null;
  const more = of.outcome === "limit"
    ? " The launch was given up after many steps: it may go on for ever." : "";
  return h("p", { class: "fault" }, `Outcome: ${of.outcome}.${more}`);
}

/** What a run came to. */
export function ran(of: Ran, names: string[], actions: Actions): HTMLElement[] {
  return [outcome(of), verdict(of.verdict),
    of.printed !== "" ? h("section", { "aria-label": "Printed" }, h("h2", {}, "Printed"),
      h("pre", { tabindex: 0, role: "group", "aria-label": "What the kernel printed" },
        of.printed)) : null,
    of.findings.length > 0 ? findings(of.findings, "", actions) : null,
    buffers(of.buffers, names), counts(of.counts), rewritten(of)].filter((part) => part !== null);
}

/** What a check found. */
export function checked(of: Ran, names: string[], actions: Actions): HTMLElement[] {
  const { checked: how } = of;
  const list = how?.schedules.join(", ") ?? "";
  const one = how?.schedules.length === 1;
  const words = how?.every_schedule
    ? `Under the schedule ${list}, which stands for all.`
    : `Under the ${one ? "schedule" : "schedules"} ${list}.`;
  const unfinished = how?.unfinished.length
    ? ` Given up before their end: ${how.unfinished.join(", ")}.` : "";
  const limit = how?.limit ?? null;
  const alone = limit === null ? "" : ` This launch takes more than ${limit} warp instructions, ` +
    "so this page checks it under one schedule alone. The command checks it under others, too.";
  return [outcome(of), findings(of.findings, "The check found nothing.", actions),
    h("p", {}, words + unfinished + alone), buffers(of.buffers, names), counts(of.counts)]
    .filter((part) => part !== null);
}

/** What many schedules came to. */
export function explored(of: Explored, actions: Actions): HTMLElement[] {
  const { schedules, unfinished, complete, results, difference } = of.explored;
  const rows = results.map((one) => h("tr", {}, h("td", {}, one.outcome),
    h("td", {}, String(one.count)), h("td", {}, h("code", { class: "cells" }, one.schedule)),
    h("td", {}, h("button", { onclick: () => actions.schedule(one.schedule) },
      "Use this schedule"))));
  const given = unfinished > 0 ? ` ${unfinished} were given up.` : "";
  const all = complete ? " These are all that can differ." : "";
  const results_ = results.length === 1 ? "1 result" : `${results.length} different results`;
  return [
    h("p", { class: results.length === 1 ? "verdict right" : "verdict wrong" },
      h("b", {}, `${schedules} schedules, ${results_}.`), all, given,
      difference !== null && ` ${difference.schedules[0]} and ${difference.schedules[1]} leave ` +
        `${difference.cells} cells different.`),
    h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "outcome"),
      h("th", { scope: "col" }, "schedules"), h("th", { scope: "col" }, "the first of them"),
      h("th", { scope: "col" }, "replay"))), h("tbody", {}, ...rows)),
    findings(of.findings, "No schedule was found to be wrong.", actions),
  ];
}

/** Why there is no answer. */
export function refused(of: Refusal, actions: Actions): HTMLElement {
  const heads = {
    request: "The page asks for something that the simulator does not know",
    usage: "This launch cannot start",
    text: "This text cannot run",
    unsupported: "warpsim lacks this",
    bug: "This is a bug in warpsim. Please report it with the link of this page",
  };
  const { line } = of;
  return h("div", { class: "fault", "data-kind": of.kind, role: "alert" },
    h("b", {}, `${heads[of.kind]}.`), "\n", of.drawn === undefined ? of.message : "",
    of.drawn !== undefined && h("pre", { tabindex: 0, role: "group", "aria-label": "The place" },
      of.drawn),
    line !== undefined && h("button", { onclick: () => actions.line(line) }, `PTX line ${line}`));
}
