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
    const fit = COLUMN / canvas.width;
    const scale = pixelated && fit >= 1 ? Math.floor(fit) : fit;
    const piece = {
      canvas,
      pixelated,
      width: canvas.width * scale,
      height: canvas.height * scale,
    };
    const flat = canvas.width > 4 * canvas.height;
    const last = rows.at(-1);
    if (open && last && !flat) last.push(piece);
    else rows.push([piece]);
    open = !flat && rows.at(-1)?.length === 1;
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
  context.font = pageFont(12);
  let x = left;
  for (const { name, colour } of JSON.parse(canvas.dataset.keys ?? '[]') as Key[]) {
    context.fillStyle = colour;
    context.fillText(name, x, top + 34);
    x += context.measureText(name).width + 16;
  }
  context.imageSmoothingEnabled = !pixelated;
  context.drawImage(canvas, left, top + TITLE, width, height);
}
