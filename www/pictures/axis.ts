import { pageFont } from './canvas.js';
import { axisText } from './chart.js';

/** Where an axis lies, in CSS pixels, and what it spans. */
export interface Axis {
  left: number;
  width: number;
  /** Of the line. */
  top: number;
  low: number;
  high: number;
}

/** Height of the numbers and the label below the line of an axis, in CSS pixels. */
export const AXIS_HEIGHT = 40;

/** Once, twice or five times a power of ten, so that at most so many of them fit into a span. */
export function niceStep(span: number, most: number): number {
  const least = span / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((candidate) => candidate * power >= least) ?? 10;
  return factor * power;
}

/** Where a value lies along an axis. */
export function along({ left, width, low, high }: Axis, value: number): number {
  return left + ((value - low) / (high - low)) * width;
}

/** A line with numbers and a label below it, and faint lines up to `height` above it. */
export function drawBottomAxis(
  context: CanvasRenderingContext2D,
  axis: Axis,
  label: string,
  height: number,
  colours: { soft: string; line: string },
): void {
  const { left, width, top, low, high } = axis;
  const step = niceStep(high - low, Math.max(2, Math.floor(width / 70)));
  context.font = pageFont(12);
  context.fillStyle = colours.soft;
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (let n = Math.ceil(low / step); n * step <= high; n++) {
    const x = Math.round(along(axis, n * step)) + 0.5;
    context.beginPath();
    context.moveTo(x, top - height);
    context.lineTo(x, top + 5);
    context.stroke();
    const text = axisText(n * step);
    // Not one that would be cut off.
    const half = context.measureText(text).width / 2;
    if (x - half >= 0 && x + half <= left + width + left) context.fillText(text, x, top + 8);
  }
  context.fillText(label, left + width / 2, top + 24);
}
