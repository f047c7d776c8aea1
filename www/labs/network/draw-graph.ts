import { withOpacity } from '../../lib/colours.js';
import { cleared, pageFont } from '../../pictures/canvas.js';
import { dashOf, type Line, labelOf, MANY, MOST_NAMED, type Places } from './graph-picture.js';

/** Colours of a graph, as #rrggbb. */
export interface GraphColours {
  positive: string;
  negative: string;
  missed: string;
  ink: string;
  ground: string;
  surface: string;
}

export interface DrawnGraph {
  places: Places;
  lines: readonly Line[];
  names: readonly string[];
  /** What stands out: a node with its edges, or one line. All else is faint. */
  isLit: ((line: Line) => boolean) | undefined;
  litNodes: ReadonlySet<number>;
  colours: GraphColours;
}

const HALO_OPACITY = 0.17;
/** What is not looked at, while something is. */
const FAINT = 0.18;

export function drawGraph(canvas: HTMLCanvasElement, graph: DrawnGraph): void {
  const { places, lines, names, isLit, litNodes, colours } = graph;
  const context = cleared(canvas, places.width, places.height);
  if (!context || places.width < 2) return;
  context.lineCap = 'butt';
  const share = (line: Line) => (isLit && !isLit(line) ? FAINT : 1);
  for (const line of lines) {
    if (line.halo <= line.width) continue;
    stroke(
      context,
      line,
      line.halo,
      [],
      withOpacity(colours[line.kind], HALO_OPACITY * share(line)),
    );
  }
  for (const line of lines) {
    const colour = withOpacity(colours[line.kind], line.opacity * share(line));
    stroke(context, line, line.width, dashOf(line), colour);
    if (line.isFalse)
      drawCross(context, line, withOpacity(colours.ink, share(line)), colours.ground);
  }
  context.setLineDash([]);
  places.centres.forEach(([x, y], n) => {
    context.beginPath();
    context.arc(x, y, places.radius, 0, 2 * Math.PI);
    context.fillStyle = litNodes.has(n) ? colours.ink : colours.surface;
    context.fill();
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.75;
    context.stroke();
  });
  const isNamed = names.length <= MOST_NAMED;
  context.font = pageFont(names.length > MANY ? 11 : 12.5);
  names.forEach((name, n) => {
    if (isNamed || litNodes.has(n)) writeName(context, graph, labelOf(name, names.length), n);
  });
}

function stroke(
  context: CanvasRenderingContext2D,
  { from, to }: Line,
  width: number,
  dash: number[],
  colour: string,
): void {
  context.setLineDash(dash);
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}

/** On the middle of an edge that is none in truth. */
function drawCross(
  context: CanvasRenderingContext2D,
  { from, to }: Line,
  colour: string,
  ground: string,
): void {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  context.setLineDash([]);
  for (const [width, stroked] of [
    [5, ground],
    [2, colour],
  ] as const) {
    context.lineWidth = width;
    context.strokeStyle = stroked;
    context.beginPath();
    context.moveTo(x - 5, y - 5);
    context.lineTo(x + 5, y + 5);
    context.moveTo(x - 5, y + 5);
    context.lineTo(x + 5, y - 5);
    context.stroke();
  }
}

/** Below its node, within the picture, and readable where a line runs through it. */
function writeName(
  context: CanvasRenderingContext2D,
  { places, colours }: DrawnGraph,
  label: string,
  node: number,
): void {
  const [x, y] = places.centres[node] ?? [0, 0];
  const half = context.measureText(label).width / 2;
  const at = Math.max(half + 2, Math.min(places.width - half - 2, x));
  context.textAlign = 'center';
  context.textBaseline = 'top';
  context.lineJoin = 'round';
  context.lineWidth = 4;
  context.strokeStyle = colours.ground;
  context.strokeText(label, at, y + places.radius + 4);
  context.fillStyle = colours.ink;
  context.fillText(label, at, y + places.radius + 4);
}
