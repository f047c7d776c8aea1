import { themeColour } from '../../shell/theme.svelte.js';
import type { DrawnGraph, GraphColours } from './draw-graph.js';
import { type Line, linesOf, placesIn } from './graph-picture.js';
import type { Network } from './network.svelte.js';

/** The graph of the moment in a picture of such a size. */
export function graphOf(lab: Network, width: number, height: number): DrawnGraph {
  const { edges, missed, names, units, fullStrength, lit } = lab;
  const places = placesIn(units, width, height);
  const isLit = lit && ((line: Line) => isOf(line, lit));
  return {
    places,
    lines: linesOf(edges, missed, places, fullStrength),
    names,
    isLit,
    litNodes: new Set(lit?.kind === 'node' ? [lit.node] : (lit?.sites ?? [])),
    colours: graphColours(),
  };
}

function isOf({ pair: { sites } }: Line, lit: NonNullable<Network['lit']>): boolean {
  if (lit.kind === 'node') return sites.includes(lit.node);
  return sites[0] === lit.sites[0] && sites[1] === lit.sites[1];
}

function graphColours(): GraphColours {
  return {
    positive: themeColour('--series-1'),
    negative: themeColour('--series-2'),
    missed: themeColour('--series-3'),
    ink: themeColour('--ink'),
    ground: themeColour('--paper'),
    surface: themeColour('--surface'),
  };
}
