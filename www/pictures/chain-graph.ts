/** A Markov chain as a picture: states as discs, whose areas are probabilities, and arrows between them. */
import { withOpacity } from '../lib/colours.js';
import { cleared, pageFont } from './canvas.js';

/** Where the states stand: on a ring, or as the corners of a cube of this many dimensions. */
export type Layout = { kind: 'ring' } | { kind: 'cube'; dim: number };

export type Place = readonly [x: number, y: number];

/** Where the states stand in a square of this many pixels, and the greatest radius of a disc. */
export interface Places {
  size: number;
  centres: readonly Place[];
  /** The radius of a state that has all of the probability. */
  most: number;
}

/** Axes of the corners of a cube, on the page. */
const AXES: Record<number, readonly Place[]> = {
  1: [[1, 0]],
  2: [
    [1, 0],
    [0, -1],
  ],
  3: [
    [1, 0],
    [0, -1],
    [0.5, -0.36],
  ],
  // The projection of four dimensions in which no two corners meet.
  4: [1, 3, 5, 7].map((n) => [Math.cos((n * Math.PI) / 8), -Math.sin((n * Math.PI) / 8)] as const),
};

/** Room for loops, names and discs around the states. */
const MARGIN = 46;
/** Half of the widest name. */
const ROOM = 16;

export function placesOf(layout: Layout, numStates: number, size: number): Places {
  const raw = Array.from({ length: numStates }, (_, state): Place => {
    if (layout.kind === 'ring') {
      // Two states lie beside each other, others begin at the top.
      const turn = (2 * Math.PI * state) / numStates - (numStates === 2 ? Math.PI : Math.PI / 2);
      return [Math.cos(turn), Math.sin(turn)];
    }
    return (AXES[layout.dim] ?? []).reduce<Place>(
      ([x, y], [dx, dy], site) => ((state >> site) & 1 ? [x + dx, y + dy] : [x, y]),
      [0, 0],
    );
  });
  const [xs, ys] = [raw.map(([x]) => x), raw.map(([, y]) => y)];
  const middle = (values: number[]) => (Math.min(...values) + Math.max(...values)) / 2;
  const span = Math.max(spread(xs), spread(ys), 1e-9);
  const scale = Math.max(1, size - 2 * MARGIN) / span;
  const centres = raw.map(
    ([x, y]): Place => [size / 2 + (x - middle(xs)) * scale, size / 2 + (y - middle(ys)) * scale],
  );
  const nearest = Math.min(
    ...centres.flatMap((a, n) =>
      centres.slice(n + 1).map((b) => Math.hypot(a[0] - b[0], a[1] - b[1])),
    ),
  );
  return { size, centres, most: Math.min(0.42 * nearest, MARGIN - 2) };
}

function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

export interface GraphPicture {
  places: Places;
  names: readonly string[];
  /** T, row-major. */
  matrix: ArrayLike<number> | undefined;
  /** The distribution now, and the stationary one. */
  now: ArrayLike<number> | undefined;
  stationary: ArrayLike<number> | undefined;
  start: number;
  /** States of the bottleneck's set, or of a closed class. */
  marked: ReadonlySet<number>;
  colours: { ink: string; soft: string; line: string; ground: string; now: string; marked: string };
}

/** Widest arrow, in pixels, for a probability of 1; and the least one that is drawn. */
const WIDEST = 7;
const LEAST_WIDTH = 0.8;
/** How far an arrow bends to one side, as a part of its length, so that the one back is seen beside it. */
const BEND = 0.13;
/** Up to so many states probabilities are written at their arrows. */
const MOST_WRITTEN = 4;

export function drawGraph(canvas: HTMLCanvasElement, picture: GraphPicture): void {
  const { places, matrix, names, marked, colours } = picture;
  const context = cleared(canvas, places.size, places.size);
  if (!context || places.size < 2) return;
  for (const state of marked) drawMark(context, picture, state);
  names.forEach((_, state) => {
    drawDisc(context, picture, state);
  });
  if (matrix) drawArrows(context, picture, matrix);
  names.forEach((_, state) => {
    drawRing(context, picture, state);
  });
  context.font = pageFont(names.length > 8 ? 11 : 13);
  names.forEach((name, state) => {
    write(context, name, labelPlace(picture, state), colours.ink, colours.ground);
  });
}

/** Disc and ring of a state: their areas are its probabilities. */
function radiusOf({ places }: GraphPicture, probability: number): number {
  return places.most * Math.sqrt(Math.max(0, probability));
}

/** Arrows end here. */
function rimOf(picture: GraphPicture, state: number): number {
  return Math.max(7, radiusOf(picture, picture.stationary?.[state] ?? 0)) + 2;
}

/** A square behind the states of the set: told from others by shape, not by colour alone. */
function drawMark(context: CanvasRenderingContext2D, picture: GraphPicture, state: number): void {
  const [x, y] = picture.places.centres[state] ?? [0, 0];
  const half = Math.max(12, radiusOf(picture, picture.stationary?.[state] ?? 0) + 6);
  context.beginPath();
  context.roundRect(x - half, y - half, 2 * half, 2 * half, 4);
  context.fillStyle = withOpacity(picture.colours.marked, 0.16);
  context.fill();
  context.strokeStyle = picture.colours.marked;
  context.lineWidth = 2;
  context.stroke();
}

function drawDisc(context: CanvasRenderingContext2D, picture: GraphPicture, state: number): void {
  circle(context, picture, state, radiusOf(picture, picture.now?.[state] ?? 0));
  context.fillStyle = withOpacity(picture.colours.now, 0.85);
  context.fill();
}

function circle(
  context: CanvasRenderingContext2D,
  { places }: GraphPicture,
  state: number,
  radius: number,
): void {
  const [x, y] = places.centres[state] ?? [0, 0];
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** The stationary probability, and a mark where the chain begins. */
function drawRing(context: CanvasRenderingContext2D, picture: GraphPicture, state: number): void {
  const { colours, stationary, places, start } = picture;
  const [x, y] = places.centres[state] ?? [0, 0];
  // Where nothing is known of its probability, a state is a dot.
  circle(context, picture, state, 3);
  context.fillStyle = colours.soft;
  context.fill();
  if (stationary) {
    circle(context, picture, state, Math.max(1.5, radiusOf(picture, stationary[state] ?? 0)));
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.stroke();
  }
  if (state !== start) return;
  const [dx, dy] = outward(places, state);
  const from = rimOf(picture, state) + 4;
  // A small triangle points at where it begins.
  const tip: Place = [x - dx * from, y - dy * from];
  context.beginPath();
  context.moveTo(...tip);
  context.lineTo(tip[0] - 10 * dx - 5 * dy, tip[1] - 10 * dy + 5 * dx);
  context.lineTo(tip[0] - 10 * dx + 5 * dy, tip[1] - 10 * dy - 5 * dx);
  context.fillStyle = colours.ink;
  context.fill();
}

function drawArrows(
  context: CanvasRenderingContext2D,
  picture: GraphPicture,
  matrix: ArrayLike<number>,
): void {
  const { names, marked, colours } = picture;
  const size = names.length;
  const written: { text: string; at: Place }[] = [];
  for (let i = 0; i < size; i++) {
    for (let j = 0; j < size; j++) {
      const probability = matrix[i * size + j] ?? 0;
      if (probability <= 0) continue;
      const leaves = marked.has(i) && !marked.has(j);
      // Many arrows of little probability would be a grey cloud.
      const opacity = leaves && size <= 8 ? 1 : Math.min(1, 0.25 + 0.75 * Math.sqrt(probability));
      context.strokeStyle = context.fillStyle = withOpacity(
        leaves ? colours.marked : colours.line,
        opacity,
      );
      context.lineWidth = Math.max(LEAST_WIDTH, WIDEST * probability);
      const at = i === j ? drawLoop(context, picture, i) : drawArrow(context, picture, i, j);
      written.push({ text: String(Number(probability.toPrecision(2))), at });
    }
  }
  if (size > MOST_WRITTEN || written.length > 10) return;
  context.font = pageFont(12);
  for (const { text, at } of written) write(context, text, at, colours.soft, colours.ground);
}

/** From one state to another, along a curve. Gives where its probability is written. */
function drawArrow(
  context: CanvasRenderingContext2D,
  picture: GraphPicture,
  i: number,
  j: number,
): Place {
  const a: Place = picture.places.centres[i] ?? [0, 0];
  const b: Place = picture.places.centres[j] ?? [0, 0];
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy) || 1;
  const control: Place = [(a[0] + b[0]) / 2 - 2 * BEND * dy, (a[1] + b[1]) / 2 + 2 * BEND * dx];
  const head = 5 + context.lineWidth;
  const from = along(a, control, rimOf(picture, i));
  const tip = along(b, control, rimOf(picture, j));
  const end = along(b, control, rimOf(picture, j) + head * 0.9);
  context.beginPath();
  context.moveTo(...from);
  context.quadraticCurveTo(...control, ...end);
  context.stroke();
  drawHead(context, tip, end, head * 0.6);
  const middle = [(a[0] + b[0]) / 4 + control[0] / 2, (a[1] + b[1]) / 4 + control[1] / 2] as const;
  return [middle[0] - (9 * dy) / length, middle[1] + (9 * dx) / length];
}

/** From a state to itself, on the side away from the middle. */
function drawLoop(context: CanvasRenderingContext2D, picture: GraphPicture, state: number): Place {
  const [x, y] = picture.places.centres[state] ?? [0, 0];
  const [dx, dy] = outward(picture.places, state);
  const rim = rimOf(picture, state);
  const radius = Math.max(7, Math.min(11, 0.3 * picture.places.most));
  const away = rim + 0.6 * radius;
  // That of a state with all of the probability would be cut off.
  const edge = radius + 0.5 * context.lineWidth;
  const inside = (at: number) => Math.min(Math.max(at, edge), picture.places.size - edge);
  context.beginPath();
  context.arc(inside(x + dx * away), inside(y + dy * away), radius, 0, 2 * Math.PI);
  context.stroke();
  const beside = away + radius + 9;
  return [inside(x + dx * beside), inside(y + dy * beside)];
}

function drawHead(context: CanvasRenderingContext2D, tip: Place, end: Place, half: number): void {
  const [dx, dy] = [tip[0] - end[0], tip[1] - end[1]];
  const length = Math.hypot(dx, dy) || 1;
  context.beginPath();
  context.moveTo(...tip);
  context.lineTo(end[0] - (half * dy) / length, end[1] + (half * dx) / length);
  context.lineTo(end[0] + (half * dy) / length, end[1] - (half * dx) / length);
  context.fill();
}

/** So far from a place towards another. */
function along(from: Place, to: Place, distance: number): Place {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  return [from[0] + (distance * dx) / length, from[1] + (distance * dy) / length];
}

/** The direction from the middle of the picture to a state. */
function outward({ size, centres }: Places, state: number): Place {
  const [x, y] = centres[state] ?? [0, 0];
  const [dx, dy] = [x - size / 2, y - size / 2];
  const length = Math.hypot(dx, dy);
  return length < 1 ? [0, -1] : [dx / length, dy / length];
}

/** Names stand beside the state, aslant, where neither loops nor the start's mark are. */
function labelPlace(picture: GraphPicture, state: number): Place {
  const [x, y] = picture.places.centres[state] ?? [0, 0];
  const [dx, dy] = outward(picture.places, state);
  const away = rimOf(picture, state) + (picture.marked.has(state) ? 20 : 14);
  // Turned by a sixth of a circle from outward.
  const [cos, sin] = [Math.cos(Math.PI / 3), Math.sin(Math.PI / 3)];
  const inside = (at: number) => Math.min(Math.max(at, ROOM), picture.places.size - ROOM);
  return [inside(x + away * (dx * cos - dy * sin)), inside(y + away * (dx * sin + dy * cos))];
}

/** Centred text with a rim in the colour of the ground, so that it reads over arrows. */
function write(
  context: CanvasRenderingContext2D,
  text: string,
  [x, y]: Place,
  colour: string,
  ground: string,
): void {
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = ground;
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}
