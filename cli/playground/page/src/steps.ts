// The steps of a launch: the page of `warpsim trace`, inside this one.

import { h } from "../../../page/src/dom";
import type { Document } from "../../../page/src/data";

const PLACE = "/*WARPSIM-DATA*/null/*END*/";

let page: Promise<string> | null = null;

async function load(): Promise<string> {
  const response = await fetch("steps.html");
  if (!response.ok) throw new Error(`steps.html: ${response.status} ${response.statusText}`);
  return response.text();
}

/** A frame that shows a document, forwards and back. */
export async function stepsOf(document: Document): Promise<HTMLIFrameElement> {
  page ??= load();
  const empty = await page;
  const [before, after, ...more] = empty.split(PLACE);
  if (after === undefined || more.length > 0) throw new Error("steps.html has no place for data");
  // What a browser would take for the end of the script.
  const data = JSON.stringify(document).replaceAll("<", "\\u003c");
  const frame = h("iframe", { title: `Steps of ${document.kernel}` });
  frame.srcdoc = before + data + after;
  return frame;
}
