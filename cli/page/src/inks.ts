// The colours of the canvas, taken from the style sheet, and patterns of them: what differs in
// colour differs in its pattern as well.

export interface Inks {
  ground: string;
  text: string;
  faint: string;
  active: string;
  guarded: string;
  elsewhere: string;
  wait: string;
  wall: string;
  mark: string;
}

export function inks(): Inks {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: of("ground"),
    text: of("text"),
    faint: of("faint"),
    active: of("active"),
    guarded: of("guarded"),
    elsewhere: of("elsewhere"),
    wait: of("wait"),
    wall: of("wall"),
    mark: of("mark"),
  };
}

type Kind = "lines" | "bricks" | "dots";
const made = new Map<string, CanvasPattern>();

/** A pattern of a colour on the ground. */
export function hatch(
  context: CanvasRenderingContext2D,
  ink: string,
  ground: string,
  kind: Kind,
): CanvasPattern | string {
  const name = `${kind} ${ink} ${ground}`;
  const known = made.get(name);
  if (known) return known;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 6;
  const brush = tile.getContext("2d");
  if (!brush) return ink;
  brush.fillStyle = ground;
  brush.fillRect(0, 0, 6, 6);
  brush.fillStyle = ink;
  if (kind === "lines") {
    for (let i = 0; i < 6; i++) brush.fillRect((i + 5) % 6, i, 2, 1);
    brush.fillRect(0, 0, 1, 1);
  } else if (kind === "bricks") {
    brush.fillRect(0, 0, 6, 6);
    brush.fillStyle = ground;
    brush.fillRect(0, 2, 6, 1);
    brush.fillRect(0, 5, 6, 1);
    brush.fillRect(1, 0, 1, 2);
    brush.fillRect(4, 3, 1, 2);
  } else {
    brush.fillRect(1, 1, 2, 2);
    brush.fillRect(4, 4, 2, 2);
  }
  const pattern = context.createPattern(tile, "repeat");
  if (pattern) made.set(name, pattern);
  return pattern ?? ink;
}
