// The controls of time: buttons, slider, step counter, choice of the warp, and playing.

import { byId, setText } from "./dom";
import { laneList, triple } from "./data";
import type { Store } from "./state";

const SPEEDS: Record<string, number> = { slow: 1500, normal: 600, fast: 120 };

export function player(store: Store): void {
  const slider = byId<HTMLInputElement>("slider");
  const warp = byId<HTMLSelectElement>("warp");
  const play = byId<HTMLButtonElement>("play");
  const speed = byId<HTMLSelectElement>("speed");
  let timer = 0;
  let listed = -1;

  const on = (id: string, run: () => void) => byId(id).addEventListener("click", run);
  on("first", () => store.go(0));
  on("back", () => store.move(-1));
  on("forward", () => store.move(1));
  on("last", () => store.go(store.trace.length - 1));
  on("play", () => toggle(store));
  on("next-finding", () => store.nextFinding());
  byId("next-finding").hidden = store.document.findings.length === 0;
  slider.addEventListener("input", () => store.go(Number(slider.value)));
  warp.addEventListener("change", () => {
    store.go(store.trace.ofWarp(Number(warp.value), store.step));
  });
  speed.addEventListener("change", () => {
    if (store.state.isPlaying) start();
  });

  function start(): void {
    clearInterval(timer);
    timer = window.setInterval(() => {
      if (store.step >= store.trace.length - 1) store.set({ isPlaying: false });
      else store.move(1);
    }, SPEEDS[speed.value]);
  }

  store.watch((state, before) => {
    const { trace, step } = store;
    slider.max = String(trace.length - 1);
    slider.value = String(step);
    const now = trace.steps[step];
    slider.setAttribute("aria-valuetext", `step ${now.step}: ${now.text}`);
    const last = trace.steps[trace.length - 1].step;
    setText(byId("counter"), `step ${now.step} of ${trace.steps[0].step}–${last}`);
    if (listed !== state.run) {
      listed = state.run;
      const names = trace.warps.map((w) => `block ${triple(w.block)} warp ${w.warp}`);
      warp.replaceChildren(...names.map((name, i) => new Option(name, String(i))));
    }
    warp.value = String(trace.warpOf[step]);
    for (const id of ["first", "back"]) dim(id, step === 0);
    for (const id of ["forward", "last"]) dim(id, step === trace.length - 1);
    if (!before || before.isPlaying !== state.isPlaying) {
      play.textContent = state.isPlaying ? "❚❚ Pause" : "▶ Play";
      if (state.isPlaying) start();
      else clearInterval(timer);
    }
    say(store, state.isPlaying);
  });
}

/** A button that can do nothing now stays in the order of Tab. */
function dim(id: string, isOff: boolean): void {
  byId(id).setAttribute("aria-disabled", String(isOff));
}

export function toggle(store: Store): void {
  const isAtEnd = store.step >= store.trace.length - 1;
  if (!store.state.isPlaying && isAtEnd) store.go(0);
  store.set({ isPlaying: !store.state.isPlaying });
}

/** The current step in a line above the panes, and for a screen reader where it does not play. */
function say(store: Store, isPlaying: boolean): void {
  const { trace, step } = store;
  const now = trace.steps[step];
  const active = trace.active[step];
  const guarded = (trace.masks[step] & ~active) >>> 0;
  setText(byId("now-where"), `block ${triple(now.block)} warp ${now.warp}`);
  setText(byId("now-text"), now.text);
  const barrier = /^(bar|barrier)\./.test(now.op) ? " · a barrier" : "";
  setText(byId("now-lanes"), `active lanes ${laneList(active)}` +
    (guarded ? ` · guard false in ${laneList(guarded)}` : "") + barrier);
  if (!isPlaying) {
    setText(byId("say"), `Step ${now.step}. Block ${triple(now.block)}, warp ${now.warp}. ` +
      `${now.text}. Active lanes ${laneList(active)}.`);
  }
}
