// The words of PTX and of CUDA C++ for the editors.

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { cpp } from "@codemirror/legacy-modes/mode/clike";
import { tags } from "@lezer/highlight";

const ptxWords = StreamLanguage.define<{ isInComment: boolean; isAtStart: boolean }>({
  name: "ptx",
  startState: () => ({ isInComment: false, isAtStart: true }),
  token(stream, state) {
    if (state.isInComment) {
      if (stream.skipTo("*/")) {
        stream.match("*/");
        state.isInComment = false;
      } else {
        stream.skipToEnd();
      }
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.isInComment = true;
      return "comment";
    }
    if (stream.match(/^"[^"]*"?/)) return "string";
    if (stream.match(/^%[\w$.]+/)) return "variableName";
    if (stream.match(/^@!?/)) return "keyword";
    if (stream.match(/^(0[fFdDxX][0-9a-fA-F]+U?|\d[\w.]*)/)) return "number";
    const isOpcode = state.isAtStart;
    if (stream.match(/^\.[\w$:]+/)) return "keyword";
    if (stream.match(/^[\w$]+(\.[\w:]+)*/)) {
      // A label ends with a colon; an instruction begins a statement.
      state.isAtStart = stream.peek() === ":";
      return isOpcode && !state.isAtStart ? "keyword" : null;
    }
    const character = stream.next();
    state.isAtStart = character === ";" || character === "{" || character === "}" ||
      character === ":";
    return null;
  },
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
});

const look = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName, tags.operatorKeyword, tags.controlKeyword], class: "word" },
  { tag: [tags.number, tags.bool, tags.atom], class: "number" },
  { tag: [tags.comment, tags.meta], class: "comment" },
  { tag: [tags.string, tags.character], class: "string" },
  { tag: [tags.variableName, tags.special(tags.variableName)], class: "name" },
]));

export const ptxLanguage = [ptxWords, look];
export const cudaLanguage = [StreamLanguage.define(cpp), look];
