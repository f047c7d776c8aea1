import { decimal, percent, signed } from '../../lib/format.js';
import type { Pair } from './edges.js';

/** The names of a pair. */
export function nameOf({ sites: [i, j] }: Pair, names: readonly string[]): string {
  return `${names[i]} – ${names[j]}`;
}

/** An estimate with its interval: +1.20 (0.85 to 1.55). */
export function estimateText({ debiased }: Pair): string {
  if (!debiased) return '–';
  return `${signed(debiased.estimate)} (${intervalText(debiased)})`;
}

export function intervalText({ lower, upper }: { lower: number; upper: number }): string {
  return `${decimal(lower, 2)} to ${decimal(upper, 2)}`;
}

export function shareText({ share }: Pair): string {
  return share === undefined ? '–' : percent(share);
}

/** All that is known of a pair, in one line. */
export function pairText(pair: Pair, names: readonly string[]): string {
  const { penalized, debiased, share, truth } = pair;
  return [
    `${nameOf(pair, names)}: ω = ${debiased ? estimateText(pair) : signed(penalized)}`,
    ...(debiased ? [penalized === 0 ? 'no edge' : `penalized ${signed(penalized)}`] : []),
    ...(share === undefined ? [] : [`in ${percent(share)} of the fits`]),
    ...(truth === undefined
      ? []
      : [truth === 0 ? 'no edge in truth' : `in truth ${signed(truth)}`]),
  ].join(', ');
}

/** A node with its edges, strongest first, in one line. */
export function nodeText(node: number, edges: readonly Pair[], names: readonly string[]): string {
  const ends = edges.map((pair) => {
    const other = pair.sites[0] === node ? pair.sites[1] : pair.sites[0];
    return `${names[other]} ${signed(pair.debiased?.estimate ?? pair.penalized)}`;
  });
  if (ends.length === 0) return `${names[node]}: no edges`;
  const shown = ends.slice(0, 6).join(', ');
  const rest = ends.length > 6 ? ` and ${ends.length - 6} more` : '';
  return `${names[node]}: ${ends.length === 1 ? '1 edge' : `${ends.length} edges`}: ${shown}${rest}`;
}
