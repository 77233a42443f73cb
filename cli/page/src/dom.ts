// Small helpers to make elements, and to draw at most once a frame.

type Child = Node | string | null | undefined | false;
type Props = Record<string, string | number | boolean | EventListener | undefined>;

/** Makes an element. `on...` properties are listeners, all others are attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, props);
  for (const child of children) if (child) element.append(child);
  return element;
}

/** Makes an element of SVG. */
export function svg(tag: string, props: Props = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  assign(element, props);
  for (const child of children) if (child) element.append(child);
  return element;
}

function assign(element: Element, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
}

/** The element of the page with an id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element as T;
}

/** A function that runs `draw` at the next frame, once however often it is called. */
export function nextFrame(draw: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      draw();
    });
  };
}

/** Sets the text of an element where it differs. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Brings `inner` into the view of `outer`, and moves nothing else. */
export function reveal(outer: HTMLElement, inner: HTMLElement): void {
  // What comes into view may turn out taller than thought: then the second turn mends the place.
  for (let turn = 0; turn < 2; turn++) {
    const box = outer.getBoundingClientRect();
    const line = inner.getBoundingClientRect();
    const margin = Math.min(box.height / 4, 80);
    if (line.top >= box.top + margin && line.bottom <= box.bottom - margin) return;
    const before = outer.scrollTop;
    outer.scrollTop += line.top - box.top - box.height / 2 + line.height / 2;
    if (outer.scrollTop === before) return;
  }
}
