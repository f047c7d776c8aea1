import { count } from '../../lib/format.js';
import { bitsOf, type Explanation, NUM_CHOICES } from '../../lib/number-sequences.js';
import { pageFont, prepare } from '../../pictures/canvas.js';
import { bitsText, timesText } from './words.js';

export interface ChainPicture {
  /** Of the canvas, in CSS pixels. */
  width: number;
  /** The explanations shown, R first. */
  shown: readonly Explanation[];
  /** Rows there is space for: those of the whole chain. */
  numRows: number;
  /** The terms that follow, for every residue. */
  next: readonly (readonly number[])[];
  /** Terms that follow there is space for, so that nothing moves when they come. */
  numNext: number;
  colours: {
    ink: string;
    soft: string;
    line: string;
    /** Of what is not there yet. */
    place: string;
    ground: string;
    residue: string;
    expression: string;
    next: string;
  };
}

/** Below this the bars lie under the numbers. */
const NARROW = 620;
const PITCH = 78;
const NARROW_PITCH = 104;
/** How far below its numbers a bar lies there. */
const NARROW_DROP = 34;
const BOX = 34;
const BAR = 18;

interface Layout {
  isNarrow: boolean;
  /** From one row to the next. */
  pitch: number;
  /** Terms of the sequence and those that follow. */
  numColumns: number;
  /** Where the numbers begin, and the width of a column. */
  left: number;
  column: number;
  /** Where the bars begin, their greatest length, and how far below the middle of the numbers. */
  bars: number;
  barLength: number;
  barDrop: number;
}

function layoutOf({ width, shown, numNext: most }: ChainPicture): Layout {
  const isNarrow = width < NARROW;
  // One term that follows is enough where there is little space.
  const numNext = isNarrow ? 1 : most;
  const numColumns = (shown[0]?.residues[0]?.length ?? 0) + numNext;
  const left = isNarrow ? 58 : 76;
  const numbersWidth = isNarrow ? width - left : 0.58 * width - left;
  const column = Math.min(isNarrow ? 52 : 64, numbersWidth / Math.max(1, numColumns));
  const bars = isNarrow ? left : 0.58 * width + 28;
  return {
    isNarrow,
    pitch: isNarrow ? NARROW_PITCH : PITCH,
    numColumns,
    left,
    column,
    bars,
    barLength: width - bars - 78,
    barDrop: isNarrow ? NARROW_DROP : 0,
  };
}

/** The height that the whole chain takes at a width, in CSS pixels. */
function chainHeight(width: number, numRows: number): number {
  const isNarrow = width < NARROW;
  return (numRows - 1) * (isNarrow ? NARROW_PITCH : PITCH) + BOX + (isNarrow ? NARROW_DROP : 8);
}

export function drawChain(canvas: HTMLCanvasElement, picture: ChainPicture): void {
  const { width, shown, numRows } = picture;
  const context = prepare(canvas, width, chainHeight(width, numRows));
  if (!context || width < 2) return;
  const layout = layoutOf(picture);
  for (let row = 0; row < numRows; row++) drawPlace(context, picture, layout, row);
  shown.forEach((explanation, row) => {
    const before = shown[row - 1];
    if (before) drawStep(context, picture, layout, row, explanation, before);
    drawNumbers(context, picture, layout, row);
    drawBar(context, picture, layout, row, explanation);
  });
}

/** Where numbers and a bar will be; the track of the bar is as long as all bits of R. */
function drawPlace(
  context: CanvasRenderingContext2D,
  { shown, numRows, colours }: ChainPicture,
  layout: Layout,
  row: number,
): void {
  context.fillStyle = colours.place;
  const y = middleOf(layout, row) + layout.barDrop;
  context.fillRect(layout.bars, y - BAR / 2, layout.barLength, BAR);
  const isLast = row === numRows - 1;
  if (row < shown.length || (isLast && row > 0)) return;
  for (let n = 0; n < (shown[0]?.residues[0]?.length ?? 0); n++) {
    box(context, layout, row, n);
    context.fill();
  }
}

/** The outline of a number. */
function box(context: CanvasRenderingContext2D, layout: Layout, row: number, n: number): void {
  const half = halfBox(layout);
  context.beginPath();
  const [x, y] = [columnMiddle(layout, n) - half, middleOf(layout, row) - BOX / 2];
  context.roundRect(x, y, 2 * half, BOX, 7);
}

function halfBox({ column }: Layout): number {
  return column / 2 - (column > 40 ? 4 : 1);
}

/** The middle of the numbers of a row. */
function middleOf(layout: Layout, row: number): number {
  return 2 + BOX / 2 + row * layout.pitch;
}

function columnMiddle(layout: Layout, column: number): number {
  return layout.left + (column + 0.5) * layout.column;
}

function drawNumbers(
  context: CanvasRenderingContext2D,
  { shown, next, colours }: ChainPicture,
  layout: Layout,
  row: number,
): void {
  const y = middleOf(layout, row);
  const explanation = shown[row];
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  if (explanation?.productions[row - 1] === '1:N') {
    context.fillStyle = colours.next;
    write(context, '1, 2, 3, …: nothing is left', layout.left + 6, y, Number.POSITIVE_INFINITY, 15);
    return;
  }
  const isLast = row === shown.length - 1;
  context.fillStyle = isLast ? colours.ink : colours.soft;
  if (isLast) write(context, 'R', 2, y, layout.left, 16);
  const numbers = explanation?.residues[row] ?? [];
  const columns = [...numbers, ...(next[row] ?? [])].slice(0, layout.numColumns);
  const room = 2 * halfBox(layout) - 4;
  const pixels = Math.min(...columns.map((number) => fitting(context, count(number), room, 16)));
  columns.forEach((number, n) => {
    const isNext = n >= numbers.length;
    box(context, layout, row, n);
    context.fillStyle = colours.ground;
    context.fill();
    context.setLineDash(isNext ? [4, 3] : []);
    context.lineWidth = isNext ? 1.5 : 1;
    context.strokeStyle = isNext ? colours.next : colours.line;
    context.stroke();
    context.setLineDash([]);
    context.textAlign = 'center';
    context.fillStyle = isNext ? colours.next : colours.ink;
    write(context, count(number), columnMiddle(layout, n), y, room, pixels);
  });
}

/** The operation that makes the row above of this one: which numbers go into which. */
function drawStep(
  context: CanvasRenderingContext2D,
  { shown, next, colours }: ChainPicture,
  layout: Layout,
  row: number,
  explanation: Explanation,
  before: Explanation,
): void {
  const production = explanation.productions[row - 1] ?? '';
  const top = middleOf(layout, row - 1) + BOX / 2 + layout.barDrop * 0.9;
  const bottom = middleOf(layout, row) - BOX / 2;
  const numTerms = (shown[0]?.residues[0]?.length ?? 0) + (next[0]?.length ?? 0);
  const numShown = Math.min(numTerms, layout.numColumns);
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  if (production !== '1:N') {
    for (let n = 0; n < numShown; n++) {
      const x = columnMiddle(layout, n);
      context.beginPath();
      context.moveTo(x, bottom);
      context.lineTo(x, top + 2);
      if (production === 'cumsum' && n > 0) {
        // A total takes in the one before it.
        const before = columnMiddle(layout, n - 1);
        context.quadraticCurveTo((x + before) / 2, top + 26, before, top + 2);
      }
      context.stroke();
    }
  }
  const y = (top + bottom) / 2;
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillStyle = colours.ink;
  write(context, production, 2, y, layout.left - 4, 14);
  // On a phone the lines to the numbers are there.
  if (layout.isNarrow) return;
  context.fillStyle = colours.soft;
  const gain = `↓ ${timesText(explanation, before)} times as probable`;
  write(context, gain, layout.bars, y, layout.barLength + 78, 13);
}

function drawBar(
  context: CanvasRenderingContext2D,
  { shown, colours }: ChainPicture,
  layout: Layout,
  row: number,
  explanation: Explanation,
): void {
  const most = bitsOf(shown[0]?.score ?? 1);
  const bits = bitsOf(explanation.score);
  const left = bitsOf(explanation.probability);
  const y = middleOf(layout, row) + layout.barDrop;
  const scale = layout.barLength / most;
  context.fillStyle = colours.expression;
  context.fillRect(layout.bars, y - BAR / 2, (bits - left) * scale, BAR);
  context.fillStyle = colours.residue;
  context.fillRect(layout.bars + (bits - left) * scale, y - BAR / 2, left * scale, BAR);
  // One choice of the grammar is a notch.
  context.fillStyle = colours.ground;
  const choice = Math.log2(NUM_CHOICES);
  for (let n = 1; n * choice < bits - left - 1e-9; n++) {
    context.fillRect(layout.bars + n * choice * scale - 0.5, y - BAR / 2, 1, BAR);
  }
  context.textBaseline = 'middle';
  context.textAlign = 'left';
  context.fillStyle = colours.ink;
  write(context, bitsText(bits), layout.bars + layout.barLength + 8, y, 70, 14);
}

/** The size in pixels at which a text has room; no more than given. */
function fitting(
  context: CanvasRenderingContext2D,
  text: string,
  room: number,
  pixels: number,
): number {
  context.font = pageFont(pixels);
  const { width } = context.measureText(text);
  return width > room ? (pixels * room) / width : pixels;
}

/** Text that is made smaller where it would be too wide. */
function write(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  room: number,
  pixels: number,
): void {
  context.font = pageFont(fitting(context, text, room, pixels));
  context.fillText(text, x, y);
}
