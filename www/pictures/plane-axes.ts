import type { Window } from '../lib/plane-targets.js';
import { pageFont } from './canvas.js';

/** Where the square is, in CSS pixels. */
export interface PlaneFrame {
  left: number;
  top: number;
  /** Its side. */
  size: number;
  toPixels: (x: number, y: number) => readonly [number, number];
}

/** Numbers along the left and the bottom of a square that shows a part of the plane. */
export function drawPlaneAxes(
  context: CanvasRenderingContext2D,
  frame: PlaneFrame,
  { centre, reach }: Window,
  colours: { soft: string; line: string },
): void {
  const step =
    [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].find((candidate) => (2 * reach) / candidate <= 6) ?? 100;
  context.font = pageFont(11);
  context.fillStyle = colours.soft;
  context.strokeStyle = colours.line;
  const { left, top, size } = frame;
  const end = top + size;
  const ticks = (middle: number) => {
    const all: number[] = [];
    for (let n = Math.ceil((middle - reach) / step); n * step <= middle + reach; n++)
      all.push(n * step);
    return all;
  };
  const text = (value: number) => String(Number(value.toPrecision(3))).replace('-', '−');
  context.beginPath();
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const value of ticks(centre[0])) {
    const [x] = frame.toPixels(value, 0);
    context.moveTo(x, end);
    context.lineTo(x, end + 4);
    context.fillText(text(value), x, end + 7);
  }
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const value of ticks(centre[1])) {
    const [, y] = frame.toPixels(0, value);
    context.moveTo(left - 4, y);
    context.lineTo(left, y);
    context.fillText(text(value), left - 6, y);
  }
  context.stroke();
}
