import type { Point } from '../../lib/gaussian-paths.js';
import { t } from '../../lib/language.js';
import { betaAt } from '../../lib/schedules.js';

export interface ScheduleLine {
  betas: ArrayLike<number>;
  colour: string;
  width: number;
  dash?: number[];
}

export interface ScheduleDrawing {
  width: number;
  height: number;
  lines: readonly ScheduleLine[];
  /** The share of the distributions that is marked. */
  share: number;
  /** Of the numbers, as CSS. */
  font: string;
  colours: { ground: string; grid: string; soft: string; strong: string };
}

const MARGIN = { left: 36, right: 14, top: 10, bottom: 40 };
/** Of a line: more cannot be told apart. */
const MAX_PIECES = 250;
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** Where it lies on its canvas: from shares and β to pixels and back. */
export function frameOf(width: number, height: number) {
  const [across, up] = [width - MARGIN.left - MARGIN.right, height - MARGIN.top - MARGIN.bottom];
  return {
    toPixels: ([share, beta]: Point): Point => [
      MARGIN.left + share * across,
      MARGIN.top + (1 - beta) * up,
    ],
    toPoint: ([x, y]: Point): Point => [(x - MARGIN.left) / across, 1 - (y - MARGIN.top) / up],
  };
}

export function drawSchedules(context: CanvasRenderingContext2D, drawing: ScheduleDrawing): void {
  const { width, height, lines, share, colours } = drawing;
  const { toPixels } = frameOf(width, height);
  const [left, top] = toPixels([0, 1]);
  const [right, bottom] = toPixels([1, 0]);
  context.fillStyle = colours.ground;
  context.fillRect(left, top, right - left, bottom - top);
  drawAxes(context, drawing);
  const [at] = toPixels([share, 0]);
  context.fillStyle = colours.strong;
  context.fillRect(Math.round(at) - 0.5, top, 1, bottom - top);
  for (const { betas, colour, width, dash } of lines) {
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash ?? []);
    context.beginPath();
    const numPieces = Math.min(MAX_PIECES, betas.length - 1);
    for (let n = 0; n <= numPieces; n++) {
      context.lineTo(...toPixels([n / numPieces, betaAt(betas, n / numPieces)]));
    }
    context.stroke();
    context.setLineDash([]);
    if (dash) continue;
    context.fillStyle = colour;
    context.beginPath();
    context.arc(...toPixels([share, betaAt(betas, share)]), 4, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawAxes(
  context: CanvasRenderingContext2D,
  { width, height, colours, font }: ScheduleDrawing,
): void {
  const { toPixels } = frameOf(width, height);
  context.font = font;
  context.lineWidth = 1;
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.soft;
  for (const value of TICKS) {
    const [x, y] = toPixels([value, value]).map(Math.round) as [number, number];
    const [left, bottom] = toPixels([0, 0]);
    const [right, top] = toPixels([1, 1]);
    context.beginPath();
    context.moveTo(x + 0.5, top);
    context.lineTo(x + 0.5, bottom + 4);
    context.moveTo(left - 4, y + 0.5);
    context.lineTo(right, y + 0.5);
    context.stroke();
    context.textAlign = 'center';
    context.textBaseline = 'top';
    context.fillText(String(value), x, bottom + 6);
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    context.fillText(String(value), left - 7, y);
  }
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  context.fillText(t('part of the distributions'), width / 2, height - 5);
}
