import { drawPlaneAxes, type PlaneFrame } from '../../pictures/plane-axes.js';
import { type Field, GRID, STRIDE } from './field.js';
import { WINDOW } from './settings.js';

/** Room left of the square, below it and on the other sides, in CSS pixels. */
const [LEFT, BELOW, EDGE] = [26, 24, 4];

/** An arrow for the score of a model at a place. */
export interface Arrow {
  x: number;
  y: number;
  /** −∂E/∂x, −∂E/∂y. */
  across: number;
  up: number;
}

export interface Arrows {
  arrows: readonly Arrow[];
  colour: string;
  width: number;
}

export interface Points {
  /** `[.., 2]`. */
  values: ArrayLike<number>;
  colour: string;
  radius: number;
  opacity: number;
  /** Rings, in place of discs. */
  hollow?: boolean;
}

export interface PlaneDrawing {
  width: number;
  hasAxes: boolean;
  /** Painted one pixel a cell. */
  ground: HTMLCanvasElement | undefined;
  arrows: readonly Arrows[];
  points: readonly Points[];
  /** The score that has an arrow of half the longest. */
  usual: number;
  colours: { surface: string; line: string; soft: string };
}

/** The score on every few cells of the grid. */
export function arrowsOf({ gradients }: Field): Arrow[] {
  const { centre, reach } = WINDOW;
  const all: Arrow[] = [];
  for (let row = STRIDE / 2; row < GRID; row += STRIDE) {
    for (let column = STRIDE / 2; column < GRID; column += STRIDE) {
      const cell = 2 * (row * GRID + column);
      all.push({
        x: centre[0] + reach * ((2 * column + 1) / GRID - 1),
        y: centre[1] - reach * ((2 * row + 1) / GRID - 1),
        across: -Number(gradients[cell]),
        up: -Number(gradients[cell + 1]),
      });
    }
  }
  return all;
}

/** The middle one of the sizes of scores. */
export function usualScore(arrows: readonly Arrow[]): number {
  const sizes = arrows.map(({ across, up }) => Math.hypot(across, up)).filter(Number.isFinite);
  sizes.sort((a, b) => a - b);
  return sizes[Math.floor(sizes.length / 2)] || 1;
}

/** Height of the picture. */
export function heightOf(width: number, hasAxes: boolean): number {
  return hasAxes ? EDGE + Math.max(1, width - LEFT - EDGE) + BELOW : width;
}

/** Where the square is: from points to pixels and back. */
export function frameOf(width: number, hasAxes: boolean) {
  const left = hasAxes ? LEFT : 0;
  const top = hasAxes ? EDGE : 0;
  const size = Math.max(1, hasAxes ? width - LEFT - EDGE : width);
  const { centre, reach } = WINDOW;
  const scale = size / (2 * reach);
  const toPixels = (x: number, y: number): readonly [number, number] => [
    left + (x - centre[0] + reach) * scale,
    top + (centre[1] + reach - y) * scale,
  ];
  const toPoint = (x: number, y: number): readonly [number, number] => [
    centre[0] - reach + (x - left) / scale,
    centre[1] + reach - (y - top) / scale,
  ];
  return { left, top, size, toPixels, toPoint } satisfies PlaneFrame & { toPoint: unknown };
}

export function drawPlane(context: CanvasRenderingContext2D, drawing: PlaneDrawing): void {
  const { width, hasAxes, ground, colours } = drawing;
  const frame = frameOf(width, hasAxes);
  const { left, top, size } = frame;
  context.fillStyle = colours.surface;
  context.fillRect(left, top, size, size);
  if (ground) context.drawImage(ground, left, top, size, size);
  context.save();
  context.beginPath();
  context.rect(left, top, size, size);
  context.clip();
  const longest = (0.95 * STRIDE * size) / GRID;
  for (const { arrows, colour, width: lineWidth } of drawing.arrows) {
    context.strokeStyle = colour;
    context.lineWidth = lineWidth;
    context.beginPath();
    for (const arrow of arrows) traceArrow(context, frame, arrow, longest, drawing.usual);
    context.stroke();
  }
  for (const points of drawing.points) drawPoints(context, frame, points);
  context.restore();
  if (!hasAxes) return;
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, size - 1, size - 1);
  drawPlaneAxes(context, frame, WINDOW, colours);
}

/** An arrow from its place, the longer the larger the score, but never past the next. */
function traceArrow(
  context: CanvasRenderingContext2D,
  frame: PlaneFrame,
  { x, y, across, up }: Arrow,
  longest: number,
  usual: number,
): void {
  const size = Math.hypot(across, up);
  const length = (longest * size) / (size + usual);
  if (!(length > 0.75)) return;
  const [fromX, fromY] = frame.toPixels(x, y);
  const [cosine, sine] = [across / size, -up / size];
  // Its middle is at the place that it is of.
  const [startX, startY] = [fromX - 0.5 * length * cosine, fromY - 0.5 * length * sine];
  const [toX, toY] = [startX + length * cosine, startY + length * sine];
  const head = Math.min(4.5, 0.42 * length);
  context.moveTo(startX, startY);
  context.lineTo(toX, toY);
  for (const turn of [-0.5, 0.5]) {
    const [c, s] = [Math.cos(turn), Math.sin(turn)];
    context.moveTo(toX, toY);
    context.lineTo(toX - head * (c * cosine - s * sine), toY - head * (s * cosine + c * sine));
  }
}

function drawPoints(
  context: CanvasRenderingContext2D,
  frame: PlaneFrame,
  { values, colour, radius, opacity, hollow = false }: Points,
): void {
  context.fillStyle = colour;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.globalAlpha = opacity;
  for (let at = 0; at + 1 < values.length; at += 2) {
    const [x, y] = frame.toPixels(Number(values[at]), Number(values[at + 1]));
    if (!(Math.abs(x) < 1e4 && Math.abs(y) < 1e4)) continue;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    if (hollow) context.stroke();
    else context.fill();
  }
  context.globalAlpha = 1;
}
