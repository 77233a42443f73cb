// The 32 lanes of the current step: a strip that is always in view, and a table of the registers
// that the step reads and writes. Registers that are equal in all active lanes have a table of
// their own, until the reader asks for them in each lane.

import { byId, h } from "./dom";
import { addressAt, bitsAt, hasLane, lanesOf } from "./data";
import type { Register, Step, Touch, Triple } from "./data";
import { hex, shownType, typed, widthOf } from "./numbers";
import type { Store } from "./state";
import type { LaneState, Trace } from "./trace";
import { cellName } from "./names";

export const GLYPHS: Record<LaneState, string> = {
  active: "●",
  guarded: "○",
  elsewhere: "·",
  waiting: "‖",
  ended: "×",
  absent: "",
};

/** A lane's state in words. */
function words(trace: Trace, i: number, lane: number): string {
  switch (trace.lane(i, lane)) {
    case "active":
      return "active";
    case "guarded":
      return "the guard is false";
    case "elsewhere":
      return "at another place";
    case "waiting":
      return "waits at a barrier";
    case "ended":
      return trace.ending(trace.warps[trace.warpOf[i]], lane);
    case "absent":
      return "no such thread";
  }
}

/** The thread of a lane. */
export function threadOf(step: Step, lane: number, [x, y]: Triple): Triple {
  const at = step.warp * 32 + lane;
  return [at % x, Math.floor(at / x) % y, Math.floor(at / (x * y))];
}

interface Column {
  title: string;
  note: string;
  /** The text of a lane, or null where it takes no part. */
  text: (lane: number) => string | null;
}

function registerColumn(step: Step, register: Register, isWritten: boolean): Column {
  const type = shownType(step.op, register.type, isWritten);
  const isAddress = new RegExp(`\\[${escape(register.register)}[\\]+-]`).test(step.text);
  const width = widthOf(register.type);
  return {
    title: `${isWritten ? "writes" : "reads"} ${register.register}`,
    note: isAddress ? "an address" : `as ${type}`,
    text: (lane) => {
      const bits = bitsAt(register.bits, lane, width);
      if (bits === null) return null;
      if (isAddress || type === "pred") return isAddress ? hex(bits, type) : typed(bits, type);
      return `${typed(bits, type)}  ${hex(bits, type)}`;
    },
  };
}

function escape(text: string): string {
  return text.replace(/[$.*+?^{}()|[\]\\]/g, "\\$&");
}

function touchColumn(touch: Touch, store: Store): Column {
  const verb = touch.kind === "read" ? "reads" : touch.kind === "write" ? "writes" : "updates";
  return {
    title: `${verb} ${touch.space} memory`,
    note: `${touch.bytes} ${touch.bytes === 1 ? "byte" : "bytes"}`,
    text: (lane) => {
      const address = addressAt(touch.addresses, lane);
      if (address === null) return null;
      const name = touch.space === "shared" ? cellName(store.document.shared, address) : null;
      return name ?? `0x${address.toString(16)}`;
    },
  };
}

export function laneStrip(store: Store): void {
  const strip = byId("strip");
  const cells = Array.from({ length: 32 }, (_, lane) =>
    h("span", { class: "lane", "data-lane": lane }, h("i", {}), h("b", {})),
  );
  cells.forEach((cell, lane) => {
    if (lane % 8 === 0) (cell.firstChild as HTMLElement).textContent = String(lane);
  });
  strip.append(...cells);
  store.watch(() => {
    const { trace, step } = store;
    cells.forEach((cell, lane) => {
      const state = trace.lane(step, lane);
      if (cell.dataset.state !== state) {
        cell.dataset.state = state;
        (cell.lastChild as HTMLElement).textContent = GLYPHS[state];
      }
      const title = `lane ${lane}: ${words(trace, step, lane)}`;
      if (cell.title !== title) cell.title = title;
    });
  });
}

export function laneTable(store: Store): void {
  const table = byId("lane-table");
  const equal = byId("lane-equal");
  const toggle = byId<HTMLInputElement>("lane-all");
  const note = byId("lane-note");
  const draw = () => {
    const { trace, step: i } = store;
    const step = trace.steps[i];
    const active = lanesOf(trace.active[i]);
    const columns = [
      ...step.reads.map((register) => registerColumn(step, register, false)),
      ...step.writes.map((register) => registerColumn(step, register, true)),
      ...step.memory.map((touch) => touchColumn(touch, store)),
    ];
    const isEqual = (column: Column) =>
      active.length > 1 && active.every((lane) => column.text(lane) === column.text(active[0]));
    const same = toggle.checked ? [] : columns.filter(isEqual);
    const shown = columns.filter((column) => !same.includes(column));
    equal.replaceChildren(
      ...same.map((column) =>
        h("div", {}, h("b", {}, column.title), ` ${column.text(active[0]) ?? "takes no part"} `,
          h("small", {}, `${column.note}, in all active lanes`)),
      ),
    );
    note.textContent = columns.length === 0
      ? "This instruction reads and writes no register and no memory." : "";
    const head = h("tr", {}, h("th", { scope: "col" }, "lane"), h("th", { scope: "col" }, "thread"),
      h("th", { scope: "col" }, "state"),
      ...shown.map((column) =>
        h("th", { scope: "col" }, column.title, h("small", {}, column.note))));
    const rows = Array.from({ length: 32 }, (_, lane) => {
      const state = trace.lane(i, lane);
      if (state === "absent") return null;
      const thread = threadOf(step, lane, store.document.launch.block).join(",");
      const isOn = hasLane(trace.active[i], lane);
      return h("tr", { class: state }, h("th", { scope: "row" }, String(lane)),
        h("td", {}, `(${thread})`), h("td", {}, `${GLYPHS[state]} ${words(trace, i, lane)}`),
        ...shown.map((column) => h("td", {}, (isOn && column.text(lane)) || "–")));
    });
    const absent = rows.filter((row) => row === null).length;
    table.replaceChildren(h("thead", {}, head), h("tbody", {}, ...rows));
    if (absent > 0) {
      note.textContent += ` Lanes ${32 - absent}-31 have no thread.`;
    }
  };
  toggle.addEventListener("change", draw);
  store.watch((state) => {
    if (state.tab === "lanes") draw();
  });
}
