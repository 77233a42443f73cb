// The steps around the current one as a table: the timeline in text.

import { byId, h } from "./dom";
import { laneList, position, triple } from "./data";
import type { Store } from "./state";

const AROUND = 30;

export function stepTable(store: Store): void {
  const body = byId("step-rows");
  const note = byId("step-note");
  const draw = () => {
    const { trace, step } = store;
    const from = Math.max(0, step - AROUND);
    const to = Math.min(trace.length, step + AROUND + 1);
    note.textContent = `Places ${from + 1} to ${to} of ${trace.length} in this trace. ` +
      "After ○: lanes in which the guard is false.";
    const rows: HTMLElement[] = [];
    const hadFocus = body.contains(document.activeElement);
    for (let i = from; i < to; i++) {
      const row = trace.steps[i];
      const guarded = (trace.masks[i] & ~trace.active[i]) >>> 0;
      const lanes = laneList(trace.active[i]) + (guarded ? ` ○ ${laneList(guarded)}` : "");
      const go = h("button", { onclick: () => store.go(i),
        "aria-current": i === step ? "step" : undefined }, String(row.step));
      rows.push(h("tr", { class: i === step ? "current" : "" }, h("th", { scope: "row" }, go),
        h("td", {}, `${triple(row.block)} ${row.warp}`), h("td", { class: "lanes" }, lanes),
        h("td", {}, h("code", {}, row.text)), h("td", { title: position(row.source) },
          row.source ? String(row.source.line) : `PTX ${row.ptx_line}`)));
    }
    body.replaceChildren(...rows);
    const current = rows[step - from];
    const panel = byId("panel-steps");
    panel.scrollTop = current.offsetTop - panel.clientHeight / 2;
    if (hadFocus) current.querySelector("button")?.focus({ preventScroll: true });
  };
  store.watch((state) => {
    if (state.tab === "steps") draw();
  });
}
