import { ellipse, type Gaussian, type Point } from '../../lib/gaussian-paths.js';
import { WINDOW } from './ends.js';
import type { Cloud } from './flow.js';

export interface PlaneColours {
  ground: string;
  grid: string;
  soft: string;
  start: string;
  target: string;
  path: string;
}

export interface PlaneDrawing {
  /** Its width, in CSS pixels. */
  width: number;
  start: Gaussian;
  target: Gaussian;
  /** The distribution at the β shown. */
  now: Gaussian;
  /** Means along the path. */
  trail: readonly Point[];
  cloud: Cloud | undefined;
  /** Whether there are axes with numbers. */
  hasAxes: boolean;
  /** Of the numbers, as CSS. */
  font: string;
  colours: PlaneColours;
}

/** Radii of the ellipses, in standard deviations. */
const RADII = [1, 2] as const;
/** Room for the numbers below, in CSS pixels. */
const BELOW = 18;
/** Particles are discs of this radius, in CSS pixels, those of greater weight of a greater one up to the second. */
const DISC = { least: 1.3, most: 9 } as const;

export function heightOf(width: number, hasAxes: boolean): number {
  return Math.round((width * WINDOW.up) / WINDOW.across) + (hasAxes ? BELOW : 0);
}

/** Where the plane lies on its canvas: from points to pixels and back. */
export function frameOf(width: number) {
  const scale = width / (2 * WINDOW.across);
  return {
    scale,
    toPixels: ([x, y]: Point): Point => [scale * (x + WINDOW.across), scale * (WINDOW.up - y)],
    toPoint: ([x, y]: Point): Point => [x / scale - WINDOW.across, WINDOW.up - y / scale],
  };
}

export function drawPlane(context: CanvasRenderingContext2D, drawing: PlaneDrawing): void {
  const { width, colours, start, target, now, trail, cloud } = drawing;
  const height = heightOf(width, false);
  const { toPixels } = frameOf(width);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, width, height);
  if (drawing.hasAxes) drawAxes(context, drawing, height);
  context.save();
  context.beginPath();
  context.rect(0, 0, width, height);
  context.clip();

  context.fillStyle = colours.path;
  context.globalAlpha = 0.6;
  for (const mean of trail) disc(context, toPixels(mean), 1.7);
  context.globalAlpha = 1;
  for (const [gaussian, colour] of [
    [start, colours.start],
    [target, colours.target],
  ] as const) {
    for (const radius of RADII)
      trace(context, ellipse(gaussian, radius).map(toPixels), colour, 1.3);
  }
  if (cloud) drawCloud(context, cloud, toPixels, colours);
  for (const radius of RADII) {
    const points = ellipse(now, radius, 180).map(toPixels);
    trace(context, points, colours.ground, 4.5);
    trace(context, points, colours.path, 2.2);
  }
  context.restore();
  if (!drawing.hasAxes) return;
  context.strokeStyle = colours.grid;
  context.lineWidth = 1;
  context.strokeRect(0.5, 0.5, width - 1, height - 1);
}

function drawCloud(
  context: CanvasRenderingContext2D,
  { states, weights }: Cloud,
  toPixels: (point: Point) => Point,
  { path, ground }: PlaneColours,
): void {
  context.fillStyle = path;
  context.strokeStyle = ground;
  context.lineWidth = 1;
  // The heavy ones last, on top: few particles are heavy, and many under them would hide them.
  const order = Array.from(weights.keys()).sort((a, b) => Number(weights[a]) - Number(weights[b]));
  for (const n of order) {
    const share = Number(weights[n]);
    const radius = Math.min(DISC.most, DISC.least * Math.max(1, Math.sqrt(share)));
    context.globalAlpha = radius > 2 * DISC.least ? 0.9 : 0.55;
    disc(context, toPixels([Number(states[2 * n]), Number(states[2 * n + 1])]), radius);
    if (radius > 2 * DISC.least) context.stroke();
  }
  context.globalAlpha = 1;
}

function drawAxes(
  context: CanvasRenderingContext2D,
  { width, colours, font }: PlaneDrawing,
  height: number,
): void {
  const { toPixels } = frameOf(width);
  context.font = font;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.lineWidth = 1;
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.soft;
  for (let value = -15; value <= 15; value += 5) {
    const [x, y] = toPixels([value, value]).map(Math.round) as [number, number];
    context.beginPath();
    context.moveTo(x + 0.5, 0);
    context.lineTo(x + 0.5, height);
    if (Math.abs(value) < WINDOW.up) {
      context.moveTo(0, y + 0.5);
      context.lineTo(width, y + 0.5);
    }
    context.stroke();
    context.fillText(String(value).replace('-', '−'), x, height + 5);
  }
}

function trace(
  context: CanvasRenderingContext2D,
  points: readonly Point[],
  colour: string,
  width: number,
): void {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.stroke();
}

function disc(context: CanvasRenderingContext2D, [x, y]: Point, radius: number): void {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}
