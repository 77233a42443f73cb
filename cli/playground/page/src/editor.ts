// The editors: PTX that can be changed, and CUDA C++ to read beside it.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers,
} from "@codemirror/view";
import type { DecorationSet } from "@codemirror/view";
import { cudaLanguage, ptxLanguage } from "./ptx";

interface Mark {
  line: number;
  class: string;
}

const mark = StateEffect.define<Mark | null>();

/** One line that stands out: it is wrong, or a finding names it. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(old, change) {
    let now = old.map(change.changes);
    for (const effect of change.effects) {
      if (!effect.is(mark)) continue;
      const of = effect.value;
      if (!of || of.line < 1 || of.line > change.state.doc.lines) now = Decoration.none;
      else {
        const line = change.state.doc.line(of.line);
        now = Decoration.set([Decoration.line({ class: of.class }).range(line.from)]);
      }
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const both: Extension = [
  lineNumbers(), drawSelection(), highlightActiveLine(), bracketMatching(),
  highlightSelectionMatches(), marked,
];

/** An editor for PTX; `changed` hears of each change that a reader makes, `run` of Ctrl-Enter. */
export function ptxEditor(parent: HTMLElement, changed: () => void, run: () => void): EditorView {
  const own = keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }]);
  const heard = EditorView.updateListener.of((update) => {
    if (update.docChanged) changed();
  });
  const label = EditorView.contentAttributes.of({ "aria-label": "PTX text", tabindex: "0" });
  const extensions = [
    own, keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]), history(),
    both, ptxLanguage, lintGutter(), heard, label,
  ];
  return new EditorView({ parent, state: EditorState.create({ doc: "", extensions }) });
}

/** An editor that only shows. */
export function cudaViewer(parent: HTMLElement): EditorView {
  const label = EditorView.contentAttributes.of({ "aria-label": "CUDA C++ source", tabindex: "0" });
  const extensions = [
    keymap.of([...defaultKeymap, ...searchKeymap]), both, cudaLanguage,
    EditorState.readOnly.of(true), label,
  ];
  return new EditorView({ parent, state: EditorState.create({ doc: "", extensions }) });
}

/** Replaces the whole text, if it differs. */
export function replace(view: EditorView, text: string): void {
  if (view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  view.dispatch({ effects: EditorView.scrollIntoView(0) });
}

/** Brings the first place of a name into view, at the top. */
export function reveal(view: EditorView, name: string): void {
  const at = new RegExp(`\\b${name.replaceAll("$", "\\$")}\\s*\\(`).exec(view.state.doc.toString());
  if (at) view.dispatch({ effects: EditorView.scrollIntoView(at.index, { y: "start" }) });
}

/** Shows a line that something names. */
export function show(view: EditorView, line: number): void {
  if (line < 1 || line > view.state.doc.lines) return;
  const { from } = view.state.doc.line(line);
  const effects = [mark.of({ line, class: "cm-shown" }),
    EditorView.scrollIntoView(from, { y: "center" })];
  view.dispatch({ selection: { anchor: from }, effects });
  view.focus();
}

/** Marks what is wrong with the text; null for nothing. */
export function fault(
  view: EditorView,
  of: { line: number; column: number; length: number; message: string } | null,
): void {
  const { doc } = view.state;
  if (!of || of.line < 1 || of.line > doc.lines) {
    view.dispatch(setDiagnostics(view.state, []));
    view.dispatch({ effects: mark.of(null) });
    return;
  }
  const line = doc.line(of.line);
  const from = Math.min(line.from + of.column - 1, line.to);
  const to = Math.min(Math.max(from + of.length, from), doc.length);
  view.dispatch(setDiagnostics(view.state,
    [{ from, to, severity: "error", message: of.message }]));
  view.dispatch({ effects: mark.of({ line: of.line, class: "cm-wrong" }) });
}
