import { divergingColour, type Theme } from '../lib/colours.js';
import { prepare } from './canvas.js';

export interface LatticeDrawing {
  couplings: Float64Array | undefined;
  numRows: number;
  numCols: number;
  /** Colours and widths reach their end at this size of a coupling, and at twice this size of a bias. */
  limit: number;
  width: number;
  theme: Theme;
  /** Rim of the discs, lines without a coupling yet, and fill of the discs then. */
  line: string;
  faint: string;
  ground: string;
}

export function drawLattice(canvas: HTMLCanvasElement, drawing: LatticeDrawing): void {
  const { couplings, numRows, numCols, limit, width, theme } = drawing;
  const pitch = width / numCols;
  const context = prepare(canvas, width, pitch * numRows);
  if (!context || width === 0) return;
  const dim = numRows * numCols;
  const x = (unit: number) => ((unit % numCols) + 0.5) * pitch;
  const y = (unit: number) => (Math.floor(unit / numCols) + 0.5) * pitch;

  context.lineCap = 'butt';
  const bond = (unit: number, neighbour: number) => {
    const coupling = couplings?.[unit * dim + neighbour];
    const size = Math.min(1, Math.abs(coupling ?? 0) / limit);
    context.strokeStyle =
      coupling === undefined ? drawing.faint : divergingColour(coupling, limit, theme);
    context.lineWidth = coupling === undefined ? 1 : 1 + size * pitch * 0.34;
    context.beginPath();
    context.moveTo(x(unit), y(unit));
    context.lineTo(x(neighbour), y(neighbour));
    context.stroke();
  };
  for (let unit = 0; unit < dim; unit++) {
    if ((unit + 1) % numCols !== 0) bond(unit, unit + 1);
    if (unit + numCols < dim) bond(unit, unit + numCols);
  }

  context.lineWidth = Math.max(1, pitch * 0.035);
  context.strokeStyle = drawing.line;
  for (let unit = 0; unit < dim; unit++) {
    const bias = couplings?.[unit * dim + unit];
    context.fillStyle =
      bias === undefined ? drawing.ground : divergingColour(bias, 2 * limit, theme);
    context.beginPath();
    context.arc(x(unit), y(unit), pitch * 0.23, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }
}
