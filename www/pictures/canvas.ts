/** Drawing in CSS pixels on a canvas that has as many pixels as the screen shows. */
export function prepare(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = globalThis.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  context?.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

/** As `prepare`, without giving the canvas a new size, which costs, at every frame. */
export function cleared(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = globalThis.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    return prepare(canvas, width, height);
  }
  const context = canvas.getContext('2d');
  context?.clearRect(0, 0, width, height);
  return context;
}

/** Text on a canvas looks as on the page. */
export function pageFont(pixels: number): string {
  return `${pixels}px ${getComputedStyle(document.body).fontFamily}`;
}
