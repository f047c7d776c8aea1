import { pageFont } from './canvas.js';

const PIECE = 440;
const GAP = 28;
const TITLE = 30;

/**
 * Puts every canvas inside the element that carries `data-picture` on one sheet, two side by side with their titles,
 * and gives the sheet as PNG. Matrices are enlarged by a whole factor so that their squares stay sharp.
 */
export function picturesToPng(
  element: Element,
  heading: string,
  colours: { ground: string; ink: string },
): Promise<Blob> {
  const pieces = [...element.querySelectorAll<HTMLCanvasElement>('canvas[data-picture]')].filter(
    (canvas) => canvas.width > 1 && canvas.height > 1,
  );
  const boxes = pieces.map((canvas) => {
    const pixelated = getComputedStyle(canvas).imageRendering === 'pixelated';
    const fit = PIECE / canvas.width;
    const scale = pixelated && fit >= 1 ? Math.floor(fit) : fit;
    return { canvas, pixelated, width: canvas.width * scale, height: canvas.height * scale };
  });
  const rowHeights: number[] = [];
  boxes.forEach(({ height }, n) => {
    const row = n >> 1;
    rowHeights[row] = Math.max(rowHeights[row] ?? 0, height + TITLE + GAP);
  });

  const sheet = document.createElement('canvas');
  const density = 2;
  sheet.width = density * (2 * PIECE + 3 * GAP);
  sheet.height = density * (rowHeights.reduce((sum, height) => sum + height, 0) + 2 * GAP + TITLE);
  const context = sheet.getContext('2d');
  if (!context) return Promise.reject(new Error('This browser gives no canvas to draw on.'));
  context.scale(density, density);
  context.fillStyle = colours.ground;
  context.fillRect(0, 0, sheet.width, sheet.height);
  context.fillStyle = colours.ink;
  context.font = pageFont(18);
  context.fillText(heading, GAP, GAP + 14);
  context.font = pageFont(14);
  let top = GAP + TITLE;
  boxes.forEach(({ canvas, pixelated, width, height }, n) => {
    const left = GAP + (n % 2) * (PIECE + GAP);
    context.fillText(canvas.dataset.picture ?? '', left, top + 18);
    context.imageSmoothingEnabled = !pixelated;
    context.drawImage(canvas, left, top + TITLE, width, height);
    if (n % 2 === 1) top += rowHeights[n >> 1] ?? 0;
  });
  return new Promise((resolve, reject) => {
    sheet.toBlob(
      (blob) =>
        blob ? resolve(blob) : reject(new Error('The pictures could not be saved as PNG.')),
      'image/png',
    );
  });
}
