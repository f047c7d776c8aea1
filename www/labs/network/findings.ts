import { percent, signed } from '../../lib/format.js';
import { edgesAtNode, isShown, type Judgement, type Pair, strengthOf } from './edges.js';
import { nameOf } from './words.js';

/** What there is to say of a network, in plain words. */
export function findingsOf(
  pairs: readonly Pair[],
  names: readonly string[],
  leastShare: number,
  judgement: Judgement | undefined,
): string[] {
  const edges = pairs.filter((pair) => isShown(pair, leastShare));
  const [strongest] = [...edges].sort((a, b) => Math.abs(strengthOf(b)) - Math.abs(strengthOf(a)));
  const about = judgement ? againstTruth(judgement) : [];
  if (!strongest)
    return ['There is no edge: nothing was found to depend on anything else.', ...about];
  const numUnsure = edges.filter(
    ({ debiased }) => debiased && debiased.lower <= 0 && debiased.upper >= 0,
  ).length;
  const numRare = edges.filter(({ share }) => share !== undefined && share < 0.5).length;
  const found = [
    `${edges.length === 1 ? 'One edge' : `${edges.length} edges`} of ${pairs.length} pairs. The strongest is ${nameOf(strongest, names)}, ω = ${signed(strengthOf(strongest))}: the odds of one are ${oddsOf(strengthOf(strongest))} when the other is on.`,
  ];
  const degrees = names.map((_, node) => edgesAtNode(edges, node).length);
  const most = Math.max(...degrees);
  const busiest = names.filter((_, node) => degrees[node] === most);
  if (most > 1 && busiest.length <= 3) {
    found.push(
      `${listOf(busiest)} ${busiest.length === 1 ? 'has' : 'have'} the most edges, ${most}.`,
    );
  }
  const alone = names.filter((_, node) => degrees[node] === 0);
  if (alone.length > 0) {
    found.push(
      `${alone.length <= 4 ? listOf(alone) : `${alone.length} nodes`} ${alone.length === 1 ? 'has' : 'have'} no edge.`,
    );
  }
  if (numUnsure > 0) {
    found.push(
      `The intervals of ${numUnsure} of the edges hold 0: without the penalty, their sign is in doubt.`,
    );
  }
  if (numRare > 0) found.push(`${numRare} of the edges are in fewer than half of the other fits.`);
  return [...found, ...about];
}

function againstTruth(judgement: Judgement): string[] {
  const { numTrue, numFound, numFalse, specificity, numHeld, numIntervals } = judgement;
  return [
    numTrue === 0
      ? `In truth there is none: ${numFalse === 0 ? 'no false edge was found' : `all ${numFalse} are false`}.`
      : `Of the ${numTrue} true edges ${numFound} are found, and ${numFalse === 1 ? 'one edge is' : `${numFalse} edges are`} false: ${percent(specificity)} of the pairs without an edge are left out.`,
    ...(numIntervals > 0
      ? [
          `${numHeld} of ${numIntervals} intervals hold the truth, ${percent(numHeld / numIntervals)}; 95 % should.`,
        ]
      : []),
  ];
}

/** How much the odds change. */
function oddsOf(logOdds: number): string {
  const factor = Math.exp(Math.abs(logOdds));
  const times = factor < 10 ? factor.toFixed(1) : factor.toFixed(0);
  return logOdds > 0 ? `${times} times as high` : `${times} times lower`;
}

function listOf(names: readonly string[]): string {
  const [last] = names.slice(-1);
  return names.length < 2 ? (last ?? '') : `${names.slice(0, -1).join(', ')} and ${last}`;
}
