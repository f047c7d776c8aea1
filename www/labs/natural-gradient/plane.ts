import type { Point } from '../../lib/badly-scaled-gaussian.js';
import { pageFont, prepare } from '../../pictures/canvas.js';

/** A line of many points. */
export interface Line {
  points: readonly Point[];
  colour: string;
  width: number;
  /** A dot on every point, where the points are far enough apart to tell. */
  dots?: boolean;
}

export interface Arrow {
  from: Point;
  to: Point;
}

export interface PlaneDrawing {
  /** The size of the square, in CSS pixels. */
  size: number;
  /** The plane is shown from −reach to reach, both ways. */
  reach: number;
  /** Names of the axes; none draws no axes. */
  names: [string, string] | undefined;
  contours: readonly Line[];
  arrows: readonly Arrow[];
  lines: readonly Line[];
  start: Point | undefined;
  colours: { grid: string; ink: string; soft: string; ground: string; truth: string };
}

/** Room for the numbers on the axes, in CSS pixels. */
const MARGIN = { left: 36, bottom: 36, top: 8, right: 8 };

/** Where a plane lies on its canvas: from points to pixels and back. */
export function frameOf({ size, reach, names }: Pick<PlaneDrawing, 'size' | 'reach' | 'names'>) {
  const margin = names ? MARGIN : { left: 0, bottom: 0, top: 0, right: 0 };
  const left = margin.left;
  const top = margin.top;
  const width = Math.max(1, size - left - margin.right);
  const height = Math.max(1, size - top - margin.bottom);
  return {
    left,
    top,
    width,
    height,
    toPixels: ([x, y]: Point): Point => [
      left + (width * (x + reach)) / (2 * reach),
      top + (height * (reach - y)) / (2 * reach),
    ],
    toPoint: ([x, y]: Point): Point => [
      (2 * reach * (x - left)) / width - reach,
      reach - (2 * reach * (y - top)) / height,
    ],
  };
}

export function drawPlane(canvas: HTMLCanvasElement, drawing: PlaneDrawing): void {
  const { size, names, colours } = drawing;
  const context = prepare(canvas, size, size);
  if (!context || size < 2) return;
  const frame = frameOf(drawing);
  if (names) {
    context.fillStyle = colours.ground;
    context.fillRect(frame.left, frame.top, frame.width, frame.height);
    drawAxes(context, drawing, names);
  }

  context.save();
  context.beginPath();
  context.rect(frame.left, frame.top, frame.width, frame.height);
  context.clip();
  for (const line of drawing.contours) trace(context, line, frame.toPixels);
  for (const arrow of drawing.arrows) {
    drawArrow(context, frame.toPixels(arrow.from), frame.toPixels(arrow.to), colours.soft);
  }
  for (const line of drawing.lines) trace(context, line, frame.toPixels);
  disc(context, frame.toPixels([0, 0]), 4.5, colours.truth, colours.ground);
  if (drawing.start) disc(context, frame.toPixels(drawing.start), 5.5, colours.ink, colours.ground);
  context.restore();
  if (names) {
    context.strokeStyle = colours.grid;
    context.lineWidth = 1;
    context.strokeRect(frame.left + 0.5, frame.top + 0.5, frame.width - 1, frame.height - 1);
  }
}

function drawAxes(
  context: CanvasRenderingContext2D,
  drawing: PlaneDrawing,
  [across, up]: [string, string],
): void {
  const { reach, colours } = drawing;
  const frame = frameOf(drawing);
  const step = reach > 2 ? 2 : 1;
  context.font = pageFont(12);
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.soft;
  context.lineWidth = 1;
  for (let value = -Math.floor(reach / step) * step; value <= reach; value += step) {
    const [x, y] = frame.toPixels([value, value]);
    context.beginPath();
    context.moveTo(x, frame.top);
    context.lineTo(x, frame.top + frame.height + 4);
    context.moveTo(frame.left - 4, y);
    context.lineTo(frame.left + frame.width, y);
    context.stroke();
    const text = String(value).replace('-', '−');
    context.textAlign = 'center';
    context.textBaseline = 'top';
    context.fillText(text, x, frame.top + frame.height + 6);
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText(text, frame.left - 8, y);
  }
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  context.fillText(across, frame.left + frame.width / 2, frame.top + frame.height + 32);
  context.save();
  context.translate(11, frame.top + frame.height / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(up, 0, 0);
  context.restore();
}

/** Draws a line; points that fall on the same pixel as the last one drawn are passed over. */
function trace(
  context: CanvasRenderingContext2D,
  { points, colour, width, dots = false }: Line,
  toPixels: (point: Point) => Point,
): void {
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = width;
  context.lineJoin = 'round';
  context.beginPath();
  let last: Point | undefined;
  const corners: Point[] = [];
  for (const point of points) {
    const [x, y] = toPixels(point);
    if (last && Math.hypot(x - last[0], y - last[1]) < 0.4) continue;
    if (last) context.lineTo(x, y);
    else context.moveTo(x, y);
    last = [x, y];
    corners.push(last);
  }
  context.stroke();
  if (!dots) return;
  let dotted: Point | undefined;
  for (const [x, y] of corners) {
    if (dotted && Math.hypot(x - dotted[0], y - dotted[1]) < 2 * width + 1) continue;
    dotted = [x, y];
    context.beginPath();
    context.arc(x, y, width + 0.5, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawArrow(
  context: CanvasRenderingContext2D,
  [x, y]: Point,
  [toX, toY]: Point,
  colour: string,
): void {
  const length = Math.hypot(toX - x, toY - y);
  if (length < 0.75) return;
  const head = Math.min(5, 0.45 * length);
  const angle = Math.atan2(toY - y, toX - x);
  context.strokeStyle = colour;
  context.lineWidth = 1.2;
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  for (const turn of [-0.5, 0.5]) {
    context.moveTo(toX, toY);
    context.lineTo(toX - head * Math.cos(angle + turn), toY - head * Math.sin(angle + turn));
  }
  context.stroke();
}

function disc(
  context: CanvasRenderingContext2D,
  [x, y]: Point,
  radius: number,
  colour: string,
  rim: string,
): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = rim;
  context.stroke();
}
