import type { Pair } from './edges.js';

/** Where nodes stand in a picture, in CSS pixels. */
export interface Places {
  width: number;
  height: number;
  centres: readonly (readonly [x: number, y: number])[];
  /** Of a node. */
  radius: number;
}

/** A line between two nodes, as it is drawn and as it is saved. */
export interface Line {
  pair: Pair;
  from: readonly [number, number];
  to: readonly [number, number];
  kind: 'positive' | 'negative' | 'missed';
  /** An edge that is none in truth. */
  isFalse: boolean;
  width: number;
  /** As wide as the strongest that the interval holds. */
  halo: number;
  opacity: number;
}

const MARGIN = { x: 40, top: 22, bottom: 38 };
const WIDEST = 12;
const LEAST_WIDTH = 1.2;
const MISSED_WIDTH = 1.6;
/** So strongly an edge is drawn that no other fit has. */
const FAINTEST = 0.2;
/** Names of more nodes would cover one another. */
export const MOST_NAMED = 60;
/** Of few nodes, and of many. */
const LONGEST_LABEL = 18;
const SHORT_LABEL = 9;
export const MANY = 24;

/** Places in a picture of such a size, from places in units of its sides. */
export function placesIn(
  units: readonly (readonly [number, number])[],
  width: number,
  height: number,
): Places {
  const { across, down } = spanOf(width, height);
  return {
    width,
    height,
    centres: units.map(([x, y]) => [width / 2 + x * across, MARGIN.top + down / 2 + y * down]),
    radius: units.length > MOST_NAMED ? 5 : 8,
  };
}

/** The place in units of the picture's sides of one in pixels. */
export function unitsOf(
  [x, y]: readonly [number, number],
  width: number,
  height: number,
): [number, number] {
  const { across, down } = spanOf(width, height);
  return [(x - width / 2) / across, (y - MARGIN.top - down / 2) / down];
}

function spanOf(width: number, height: number): { across: number; down: number } {
  return {
    across: Math.max(1, width - 2 * MARGIN.x),
    down: Math.max(1, height - MARGIN.top - MARGIN.bottom),
  };
}

/** Nodes on a ring, for when nothing is known of their edges. */
export function ring(numNodes: number): [number, number][] {
  return Array.from({ length: numNodes }, (_, n) => {
    const turn = (2 * Math.PI * n) / numNodes - Math.PI / 2;
    return [Math.cos(turn) / 2, Math.sin(turn) / 2];
  });
}

/**
 * The lines of a network. An edge is as wide as its log odds ratio, `full` the one that is widest; its halo is as wide as
 * its interval reaches, and it is the fainter, the fewer other fits have it.
 */
export function linesOf(
  edges: readonly Pair[],
  missed: readonly Pair[],
  { centres }: Places,
  full: number,
): Line[] {
  const ends = ({ sites: [i, j] }: Pair) => ({
    from: centres[i] ?? ([0, 0] as const),
    to: centres[j] ?? ([0, 0] as const),
  });
  const widthOf = (logOdds: number) =>
    Math.max(LEAST_WIDTH, Math.min(1.5, Math.abs(logOdds) / full) * WIDEST);
  return [
    ...missed.map(
      (pair): Line => ({
        pair,
        ...ends(pair),
        kind: 'missed',
        isFalse: false,
        width: MISSED_WIDTH,
        halo: 0,
        opacity: 1,
      }),
    ),
    ...edges.map((pair): Line => {
      const { penalized, debiased, share, truth } = pair;
      const reach = debiased ? Math.max(Math.abs(debiased.lower), Math.abs(debiased.upper)) : 0;
      return {
        pair,
        ...ends(pair),
        kind: penalized > 0 ? 'positive' : 'negative',
        isFalse: truth === 0,
        width: widthOf(penalized),
        halo: debiased ? widthOf(reach) : 0,
        opacity: share === undefined ? 1 : FAINTEST + (1 - FAINTEST) * share ** 2,
      };
    }),
  ];
}

/** How a line of some width is dashed: positive edges are whole. */
export function dashOf({ kind, width }: Line): number[] {
  if (kind === 'positive') return [];
  return kind === 'missed' ? [1.5, 5] : [4 + width, 3 + 0.6 * width];
}

/** The line nearest to a point, if its rim is at most `reach` pixels away. */
export function lineAt(
  lines: readonly Line[],
  [x, y]: readonly [number, number],
  reach = 6,
): Line | undefined {
  let best: { line: Line; distance: number } | undefined;
  for (const line of lines) {
    const [dx, dy] = [line.to[0] - line.from[0], line.to[1] - line.from[1]];
    const along = ((x - line.from[0]) * dx + (y - line.from[1]) * dy) / (dx * dx + dy * dy || 1);
    const share = Math.max(0, Math.min(1, along));
    const distance = Math.hypot(x - line.from[0] - share * dx, y - line.from[1] - share * dy);
    if (distance > reach + line.width / 2) continue;
    if (!best || distance < best.distance) best = { line, distance };
  }
  return best?.line;
}

/** A name as it stands at its node: the more nodes, the shorter. */
export function labelOf(name: string, numNodes: number): string {
  const longest = numNodes > MANY ? SHORT_LABEL : LONGEST_LABEL;
  return name.length > longest ? `${name.slice(0, longest - 1)}…` : name;
}
