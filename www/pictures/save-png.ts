import { pageFont } from './canvas.js';

const COLUMN = 440;
const GAP = 28;
const TITLE = 46;
/** Sharp on screens with two pixels a point, and in print. */
const DENSITY = 2;

interface Piece {
  canvas: HTMLCanvasElement;
  /** Enlarged by a whole factor, so that the squares of a matrix stay sharp. */
  pixelated: boolean;
  width: number;
  height: number;
}

/** What a canvas with `data-picture` may say of its curves in `data-keys`: their names, in their colours. */
export interface Key {
  name: string;
  colour: string;
  /** How the curve is dashed; empty for a whole line, absent for points. */
  dash?: number[];
}

/**
 * Puts every canvas inside the element that carries `data-picture` on one sheet, two side by side with their titles
 * and keys, and gives the sheet as PNG. What is flat, such as a scale, has a row to itself.
 */
export function picturesToPng(
  element: Element,
  heading: string,
  colours: { ground: string; ink: string },
): Promise<Blob> {
  const rows = rowsOf([...element.querySelectorAll<HTMLCanvasElement>('canvas[data-picture]')]);
  const sheet = document.createElement('canvas');
  const context = sheet.getContext('2d');
  if (!context) return Promise.reject(new Error('This browser gives no canvas to draw on.'));
  const heights = rows.map((row) => Math.max(...row.map(({ height }) => height)) + TITLE + GAP);
  sheet.width = DENSITY * (2 * COLUMN + 3 * GAP);
  sheet.height = DENSITY * (heights.reduce((sum, height) => sum + height, 0) + 2 * GAP + TITLE);
  context.scale(DENSITY, DENSITY);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.fillStyle = colours.ink;
  context.font = pageFont(18);
  context.fillText(heading, GAP, GAP + 14);

  let top = GAP + TITLE;
  rows.forEach((row, n) => {
    row.forEach((piece, column) => {
      drawPiece(context, piece, GAP + column * (COLUMN + GAP), top, colours.ink);
    });
    top += heights[n] ?? 0;
  });
  return new Promise((resolve, reject) => {
    sheet.toBlob(
      (blob) =>
        blob ? resolve(blob) : reject(new Error('The pictures could not be saved as PNG.')),
      'image/png',
    );
  });
}

function rowsOf(canvases: HTMLCanvasElement[]): Piece[][] {
  const rows: Piece[][] = [];
  let open = false;
  for (const canvas of canvases) {
    if (canvas.width <= 1 || canvas.height <= 1) continue;
    const pixelated = getComputedStyle(canvas).imageRendering === 'pixelated';
    const flat = canvas.width > 4 * canvas.height;
    // What is wide on the page is as wide as two columns here.
    const wide = (pixelated || !flat) && canvas.clientWidth > 1.3 * COLUMN;
    const fit = (wide ? 2 * COLUMN + GAP : COLUMN) / canvas.width;
    const scale = pixelated && fit >= 1 ? Math.floor(fit) : fit;
    const piece = {
      canvas,
      pixelated,
      width: canvas.width * scale,
      height: canvas.height * scale,
    };
    const alone = flat || wide;
    const last = rows.at(-1);
    if (open && last && !alone) last.push(piece);
    else rows.push([piece]);
    open = !alone && rows.at(-1)?.length === 1;
  }
  return rows;
}

function drawPiece(
  context: CanvasRenderingContext2D,
  { canvas, pixelated, width, height }: Piece,
  left: number,
  top: number,
  ink: string,
): void {
  context.fillStyle = ink;
  context.font = pageFont(14);
  context.fillText(canvas.dataset.picture ?? '', left, top + 16);
  drawKeys(context, JSON.parse(canvas.dataset.keys ?? '[]'), left, top + 34, width);
  context.imageSmoothingEnabled = !pixelated;
  context.drawImage(canvas, left, top + TITLE, width, height);
}

/** The keys of a chart on one line, written smaller where they would not fit. */
function drawKeys(
  context: CanvasRenderingContext2D,
  keys: Key[],
  left: number,
  baseline: number,
  room: number,
): void {
  context.font = pageFont(12);
  const widthOf = ({ name, dash }: Key) => context.measureText(name).width + (dash ? 42 : 16);
  const scale = Math.min(1, room / keys.reduce((sum, key) => sum + widthOf(key), 0));
  context.save();
  context.translate(left, baseline);
  context.scale(scale, scale);
  let x = 0;
  for (const key of keys) {
    context.fillStyle = key.colour;
    context.strokeStyle = key.colour;
    if (key.dash) {
      context.lineWidth = 2;
      context.setLineDash(key.dash);
      context.beginPath();
      context.moveTo(x, -4);
      context.lineTo(x + 22, -4);
      context.stroke();
    }
    context.fillText(key.name, x + (key.dash ? 27 : 0), 0);
    x += widthOf(key);
  }
  context.restore();
}
