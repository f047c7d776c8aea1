import type { GraphColours } from './draw-graph.js';
import { dashOf, type Line, labelOf, type Places } from './graph-picture.js';
import { xmlText } from './writers.js';

const HALO_OPACITY = 0.17;

/** The graph as SVG, to be printed or drawn on. Every edge has its names and numbers as a title. */
export function graphSvg(
  { width, height, centres, radius }: Places,
  lines: readonly Line[],
  names: readonly string[],
  titleOf: (line: Line) => string,
  colours: GraphColours,
): string {
  const [across, down] = [width, height].map(written);
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${across} ${down}" width="${across}" height="${down}" font-family="sans-serif" font-size="12.5">`,
    `  <rect width="100%" height="100%" fill="${colours.ground}"/>`,
    ...lines.flatMap((line) => {
      if (line.halo <= line.width) return [];
      return [`  ${lineMark(line, line.halo, colours[line.kind], HALO_OPACITY, [])}/>`];
    }),
    ...lines.map((line) => {
      const mark = lineMark(line, line.width, colours[line.kind], line.opacity, dashOf(line));
      return `  ${mark}><title>${xmlText(titleOf(line))}</title></line>`;
    }),
    ...centres.flatMap(([x, y], n) => [
      `  <circle cx="${written(x)}" cy="${written(y)}" r="${radius}" fill="${colours.surface}" stroke="${colours.ink}" stroke-width="1.75"/>`,
      `  <text x="${written(x)}" y="${written(y + radius + 14)}" text-anchor="middle" fill="${colours.ink}" stroke="${colours.ground}" stroke-width="4" stroke-linejoin="round" paint-order="stroke">${xmlText(labelOf(names[n] ?? '', names.length))}</text>`,
    ]),
    '</svg>',
  ].join('\n')}\n`;
}

function lineMark(
  { from, to }: Line,
  width: number,
  colour: string,
  opacity: number,
  dash: readonly number[],
): string {
  const dashed = dash.length > 0 ? ` stroke-dasharray="${dash.map(written).join(' ')}"` : '';
  return `<line x1="${written(from[0])}" y1="${written(from[1])}" x2="${written(to[0])}" y2="${written(to[1])}" stroke="${colour}" stroke-width="${written(width)}" stroke-opacity="${written(opacity)}"${dashed}`;
}

/** To a hundredth. */
function written(value: number): string {
  return String(Number(value.toFixed(2)));
}
