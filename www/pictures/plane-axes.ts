import { pageFont } from './canvas.js';

/** The part of the plane that a square shows. */
export interface Part {
  centre: readonly [number, number];
  /** Half its sides; one number if both are the same. */
  reach: number | readonly [number, number];
}

/** Half the sides of a part, across and up. */
export function reachesOf({ reach }: Part): readonly [number, number] {
  return typeof reach === 'number' ? [reach, reach] : reach;
}

/** Where the square is, in CSS pixels. */
export interface PlaneFrame {
  left: number;
  top: number;
  /** Its side. */
  size: number;
  toPixels: (x: number, y: number) => readonly [number, number];
}

/** 62K: there is little room on the left. */
const large = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** Numbers along the left and the bottom of a square that shows a part of the plane. */
export function drawPlaneAxes(
  context: CanvasRenderingContext2D,
  frame: PlaneFrame,
  part: Part,
  colours: { soft: string; line: string },
): void {
  const { centre } = part;
  const reaches = reachesOf(part);
  context.font = pageFont(11);
  context.fillStyle = colours.soft;
  context.strokeStyle = colours.line;
  const { left, top, size } = frame;
  const end = top + size;
  const ticks = (middle: number, reach: number) => {
    const step = stepFor(reach);
    const all: number[] = [];
    for (let n = Math.ceil((middle - reach) / step); n * step <= middle + reach; n++)
      all.push(n * step);
    return all;
  };
  const text = (value: number) =>
    (Math.abs(value) < 1e4 ? String(Number(value.toPrecision(3))) : large.format(value)).replace(
      '-',
      '−',
    );
  context.beginPath();
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const value of ticks(centre[0], reaches[0])) {
    const [x] = frame.toPixels(value, 0);
    context.moveTo(x, end);
    context.lineTo(x, end + 4);
    context.fillText(text(value), x, end + 7);
  }
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const value of ticks(centre[1], reaches[1])) {
    const [, y] = frame.toPixels(0, value);
    context.moveTo(left - 4, y);
    context.lineTo(left, y);
    context.fillText(text(value), left - 6, y);
  }
  context.stroke();
}

/** Between two ticks: 1, 2 or 5 times a power of ten, so that there are six of them at most. */
function stepFor(reach: number): number {
  const power = 10 ** Math.floor(Math.log10(reach / 3));
  return ([1, 2, 5].find((digit) => (2 * reach) / (digit * power) <= 6) ?? 10) * power;
}
