// The page: joins the fields, the editors, the simulator and what it answers.

import { byId, h } from "../../../page/src/dom";
import { theme } from "../../../page/src/theme";
import type { Answers, Kernel, Program } from "./answers";
import { Refused, Stopped, call, stop } from "./calls";
import { cudaViewer, fault, ptxEditor, replace, reveal, show } from "./editor";
import { fill, showArguments, showFields, takeFields, takeLaunch } from "./form";
import { checked, explored, ran, refused } from "./results";
import type { Actions } from "./results";
import { fromLink, initial, toLink, whole, workOf } from "./state";
import type { State } from "./state";
import { stepsOf } from "./steps";

const ACTS = ["run", "check", "explore", "step", "story"];
/** After a change, this long until the text is looked at, in milliseconds. */
const PAUSE = 300;

let state = initial();
let programs: Program[] = [];
let kernels: Kernel[] = [];
/** The page itself changes the text: nobody has edited. */
let isFilling = false;
let pause = 0;

const results = byId("results");
const editor = ptxEditor(byId("ptx-text"), edited, () => void act("run"));
const viewer = cudaViewer(byId("cuda-text"));
const actions: Actions = {
  line: (line) => show(editor, line),
  schedule(text) {
    byId<HTMLInputElement>("schedule").value = text;
    changed();
    say("The schedule is in the form.");
  },
};

function say(text: string): void {
  byId("status").textContent = text;
}

function tell(error: unknown): void {
  if (error instanceof Stopped) return say("Stopped.");
  say("");
  const refusal = error instanceof Refused
    ? error.refusal
    : { kind: "usage" as const, message: error instanceof Error ? error.message : String(error) };
  results.replaceChildren(refused(refusal, actions));
}

/** Something of the form was changed: the address holds it. */
function changed(): void {
  takeFields(state);
  state.text = editor.state.doc.toString();
  void toLink(state).then((hash) => history.replaceState(null, "", hash));
}

function edited(): void {
  if (isFilling) return;
  clearTimeout(pause);
  pause = window.setTimeout(() => {
    changed();
    void look();
  }, PAUSE);
}

/** Which kernels the text has, or what is wrong with it. */
async function look(): Promise<void> {
  try {
    const { answer } = await call("kernels", { text: state.text });
    kernels = answer.kernels;
    byId("fault").textContent = "";
    fault(editor, null);
  } catch (error) {
    if (!(error instanceof Refused)) return;
    const { message, line, column, length } = error.refusal;
    byId("fault").textContent = line === undefined ? message : `Line ${line}: ${message}`;
    fault(editor, line === undefined
      ? null : { line, column: column ?? 1, length: length ?? 0, message });
    return;
  }
  const names = kernels.map(({ name }): [string, string] => [name, name]);
  fill("kernel", names, state.kernel);
  state.kernel = byId<HTMLSelectElement>("kernel").value;
  showArguments(kernel(), state.args);
}

function kernel(): Kernel | undefined {
  return kernels.find(({ name }) => name === state.kernel);
}

/** Shows a whole state. */
async function open(next: State): Promise<void> {
  state = next;
  isFilling = true;
  replace(editor, state.text);
  isFilling = false;
  showFields(state);
  showChoices();
  showArguments(undefined, state.args);
  await look();
}

/** The lists of programs, variants and forms. */
function showChoices(): void {
  const all = programs.map(({ name }): [string, string] => [name, name]);
  fill("program", [["", "your own PTX"], ...all], state.program);
  const program = programs.find(({ name }) => name === state.program);
  const variants = (program?.variants ?? []).map((one): [string, string] =>
    [one.name, `${one.name}: ${one.note}`]);
  fill("variant", variants, state.variant);
  fill("form", (program?.forms ?? []).map((form) => [form, form]), state.form);
  byId("story").hidden = !program?.story;
  byId("cuda").hidden = !program;
  byId("work").classList.toggle("alone", !program);
  const sound = program?.variants.find(({ name }) => name === state.variant)?.soundness;
  byId("about").textContent = program ? `${program.summary}${sound ? ` (${sound})` : ""}` : "";
  if (program) void source(program.name);
}

/** The CUDA C++ beside the PTX. */
async function source(program: string): Promise<void> {
  try {
    const { answer } = await call("program", { program });
    replace(viewer, answer.source.text);
    byId("cuda-name").textContent = answer.source.name;
  } catch (error) {
    if (!(error instanceof Stopped)) tell(error);
  }
}

/** Takes a program, with its text and a launch to begin with. */
async function take(program: string, variant?: string, form?: string): Promise<void> {
  if (program === "") {
    await open(initial());
    return changed();
  }
  try {
    const { answer } = await call("program", { program, variant, form });
    const next = { ...state, program, variant: answer.variant, form: answer.form,
      text: answer.ptx.text, kernel: answer.launch.kernel, schedule: "", cache: state.cache };
    takeLaunch(next, answer.launch);
    await open(next);
    reveal(editor, state.kernel);
    reveal(viewer, state.kernel);
    changed();
  } catch (error) {
    tell(error);
  }
}

function busy(is: boolean): void {
  for (const id of ACTS) byId<HTMLButtonElement>(id).disabled = is;
  byId<HTMLButtonElement>("stop").disabled = !is;
}

/** Asks the simulator, and shows what comes of it. */
async function asked<D extends keyof Answers>(
  what: D,
  request: () => object,
  parts: (answer: Answers[D]) => HTMLElement[] | Promise<HTMLElement[]>,
): Promise<void> {
  if (byId<HTMLButtonElement>("run").disabled) return;
  clearTimeout(pause);
  changed();
  busy(true);
  say("Running ...");
  delete results.dataset.of;
  try {
    const { answer, milliseconds } = await call(what, request());
    results.replaceChildren(...await parts(answer));
    results.dataset.of = what;
    say(`${what === "story" ? "told" : what} in ${milliseconds.toFixed(0)} ms`);
  } catch (error) {
    tell(error);
    results.dataset.of = "error";
  } finally {
    busy(false);
  }
}

function act(what: string): Promise<void> {
  const names = kernel()?.parameters ?? [];
  switch (what) {
    case "run":
      return asked("run", () => workOf(state), (answer) => ran(answer, names, actions));
    case "check":
      return asked("check", () => workOf(state), (answer) => checked(answer, names, actions));
    case "explore":
      return asked("explore", () => ({ ...workOf(state), seed: 0,
        schedules: whole(state.count, "schedules to explore", 1e6) || 1 }),
      (answer) => explored(answer, actions));
    case "step":
      return asked("trace", () => workOf(state), async (answer) => [await stepsOf(answer)]);
    case "story":
      return asked("story", () => ({ program: state.program }), ({ story }) =>
        [h("pre", { tabindex: 0, role: "group", "aria-label": "The story" }, story)]);
    default:
      throw new Error(`nothing is called ${what}`);
  }
}

/** Joins the buttons and the fields. */
function join(): void {
  for (const id of ACTS) byId(id).addEventListener("click", () => void act(id));
  byId("stop").addEventListener("click", stop);
  byId("link").addEventListener("click", () => void copyLink());
  byId("launch").addEventListener("input", changed);
  byId("kernel").addEventListener("change", () => {
    changed();
    state.args = kernel()?.suggestion.args ?? [];
    showArguments(kernel(), state.args);
    changed();
  });
  byId("suggest").addEventListener("click", () => {
    const one = kernel();
    if (!one) return;
    takeLaunch(state, one.suggestion);
    showFields(state);
    showArguments(one, state.args);
    changed();
  });
  const chosen = (id: string) => byId<HTMLSelectElement>(id).value;
  byId("program").addEventListener("change", () => {
    say("");
    void take(chosen("program"));
  });
  for (const id of ["variant", "form"]) {
    byId(id).addEventListener("change", () =>
      void take(chosen("program"), chosen("variant"), chosen("form")));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.defaultPrevented) {
      event.preventDefault();
      void act("run");
    }
  });
  window.addEventListener("hashchange", () => void openLink());
}

async function copyLink(): Promise<void> {
  changed();
  const hash = await toLink(state);
  history.replaceState(null, "", hash);
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It holds everything that is set here.");
  } catch {
    say("The address of this page is the link. It holds everything that is set here.");
  }
}

/** Opens what the address holds; whether it holds anything. */
async function openLink(): Promise<boolean> {
  try {
    const linked = await fromLink(location.hash);
    if (linked) await open(linked);
    return linked !== null;
  } catch {
    say("The link of this page is damaged.");
    return false;
  }
}

async function begin(): Promise<void> {
  theme(() => {});
  join();
  try {
    programs = (await call("programs")).answer.programs;
    if (!await openLink()) await take(programs[0]?.name ?? "");
  } catch (error) {
    tell(error);
  }
  document.documentElement.dataset.ready = "yes";
}

void begin();
