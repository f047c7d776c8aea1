import { withOpacity } from '../../lib/colours.js';
import { neighboursOf } from '../../lib/probability-flow.js';
import { cleared, pageFont } from '../../pictures/canvas.js';
import { bitsOn, type Counts, nameOf } from './data.js';
import type { Layout } from './layout.js';

export interface HypercubePicture {
  layout: Layout;
  counts: Counts;
  allFlips: boolean;
  start: ArrayLike<number>;
  now: ArrayLike<number>;
  equilibrium: ArrayLike<number>;
  /** Net flow from one state to another. */
  flowOf: (to: number, from: number) => number;
  /** The probability of a bar over its whole width. */
  fullBar: number;
  /** The flow of the widest arrow. */
  fullArrow: number;
  colours: {
    ink: string;
    soft: string;
    line: string;
    track: string;
    ground: string;
    now: string;
    data: string;
    flow: string;
  };
}

/** Pixels of the widest arrow, and the part of it below which there is none. */
const WIDEST = 11;
const LEAST = 0.01;

type Point = readonly [number, number];

export function drawHypercube(canvas: HTMLCanvasElement, picture: HypercubePicture): void {
  const { layout } = picture;
  const context = cleared(canvas, layout.width, layout.height);
  if (!context || layout.width < 2) return;
  forEachPair(picture, (low, high) => drawEdge(context, picture, low, high));
  forEachPair(picture, (low, high) => drawFlow(context, picture, low, high));
  layout.slots.forEach((_, state) => {
    drawBar(context, picture, state);
  });
}

/** Every connected pair once, that with fewer bits on first. */
function forEachPair(
  { layout, allFlips }: HypercubePicture,
  visit: (low: number, high: number) => void,
): void {
  layout.slots.forEach((_, state) => {
    for (const other of neighboursOf(state, layout.dim, allFlips)) {
      const order = bitsOn(state) - bitsOn(other) || state - other;
      if (order < 0) visit(state, other);
    }
  });
}

/** The ends of a pair's line and what it bends about: lines are straight but for flips of all bits. */
function lineOf({ layout }: HypercubePicture, low: number, high: number): [Point, Point, Point] {
  const [a, b] = [layout.slots[low], layout.slots[high]];
  if (!a || !b)
    return [
      [0, 0],
      [0, 0],
      [0, 0],
    ];
  const right = a.left + layout.slotWidth;
  const isSingle = bitsOn(low ^ high) === 1;
  if (bitsOn(low) === bitsOn(high)) {
    // In one column, past what is between.
    const bend = right + Math.min(0.8 * layout.slotWidth, 0.25 * Math.abs(a.y - b.y) + 12);
    return [
      [right + 3, a.y],
      [bend, (a.y + b.y) / 2],
      [right + 3, b.y],
    ];
  }
  const lift = isSingle ? 0 : -0.35 * layout.rowHeight;
  const [start, end]: [Point, Point] = [
    [right + 4, a.y],
    [b.left - 4, b.y],
  ];
  return [start, [(start[0] + end[0]) / 2, (a.y + b.y) / 2 + lift], end];
}

function drawEdge(
  context: CanvasRenderingContext2D,
  picture: HypercubePicture,
  low: number,
  high: number,
): void {
  const [from, bend, to] = lineOf(picture, low, high);
  context.strokeStyle = withOpacity(picture.colours.line, 0.28);
  context.lineWidth = 0.8;
  context.beginPath();
  context.moveTo(...from);
  context.quadraticCurveTo(...bend, ...to);
  context.stroke();
}

function drawFlow(
  context: CanvasRenderingContext2D,
  picture: HypercubePicture,
  low: number,
  high: number,
): void {
  const flow = picture.flowOf(high, low);
  const share = Math.abs(flow) / picture.fullArrow;
  if (!(share >= LEAST)) return;
  const line = lineOf(picture, low, high);
  const [from, bend, tip] = flow > 0 ? line : ([line[2], line[1], line[0]] as const);
  const width = Math.max(0.8, WIDEST * Math.min(1.5, share));
  const room = Math.hypot(tip[0] - from[0], tip[1] - from[1]);
  const head = Math.min(5 + width, 0.6 * room);
  const angle = Math.atan2(tip[1] - bend[1], tip[0] - bend[0]);
  const neck: Point = [tip[0] - head * Math.cos(angle), tip[1] - head * Math.sin(angle)];
  context.strokeStyle = context.fillStyle = withOpacity(
    picture.colours.flow,
    0.45 + 0.5 * Math.min(1, share),
  );
  context.lineWidth = width;
  context.beginPath();
  context.moveTo(...from);
  context.quadraticCurveTo(...bend, ...neck);
  context.stroke();
  const half = 2.5 + 0.75 * width;
  context.beginPath();
  context.moveTo(...tip);
  context.lineTo(neck[0] - half * Math.sin(angle), neck[1] + half * Math.cos(angle));
  context.lineTo(neck[0] + half * Math.sin(angle), neck[1] - half * Math.cos(angle));
  context.fill();
}

/** The bar of p⁽ᵗ⁾, below it that of the data, across both the line of p⁽∞⁾, and above them the name. */
function drawBar(
  context: CanvasRenderingContext2D,
  picture: HypercubePicture,
  state: number,
): void {
  const { layout, counts, colours, fullBar } = picture;
  const slot = layout.slots[state];
  if (!slot) return;
  const { slotWidth, barHeight, fontSize, dim } = layout;
  const count = counts[state] ?? 0;
  const top = slot.y - barHeight / 2;
  const lengthOf = (p: number | undefined) => slotWidth * Math.min(1, (p ?? 0) / fullBar);
  const strip = Math.max(2, Math.round(0.25 * barHeight));
  context.fillStyle = colours.track;
  context.fillRect(slot.left, top, slotWidth, barHeight);
  context.fillStyle = colours.now;
  context.fillRect(slot.left, top, lengthOf(picture.now[state]), barHeight - strip);
  context.fillStyle = colours.data;
  context.fillRect(slot.left, top + barHeight - strip, lengthOf(picture.start[state]), strip);
  context.fillStyle = colours.ink;
  context.fillRect(slot.left + lengthOf(picture.equilibrium[state]) - 1, top - 2, 2, barHeight + 4);

  const name = nameOf(state, dim);
  context.font = `${count > 0 ? 'bold ' : ''}${pageFont(fontSize)}`;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = colours.ground;
  const text = count > 0 && slotWidth > 4.6 * fontSize ? `${name} ×${count}` : name;
  // The last column's may be wider than what is left of the picture.
  const left = Math.min(slot.left, layout.width - context.measureText(text).width - 2);
  context.strokeText(text, left, top - 4);
  context.fillStyle = count > 0 ? colours.ink : colours.soft;
  context.fillText(text, left, top - 4);
}
