import type { NetworkResult } from 'unnorm';

/** A pair of nodes at one of the penalties, as log odds ratios ω = −2J. */
export interface Pair {
  sites: readonly [number, number];
  /** By the penalized fit; 0 where there is no edge. */
  penalized: number;
  /** By the fit without the penalty's pull, with its error; undefined where the rows are too few for it. */
  debiased: Interval | undefined;
  /** The share of the other fits that have this edge, where there are any. */
  share: number | undefined;
  /** What it is in truth, where that is known. */
  truth: number | undefined;
}

export interface Interval {
  estimate: number;
  standardError: number;
  lower: number;
  upper: number;
}

/** The place of the pair i < j among all pairs in lexicographic order. */
export function pairIndex(i: number, j: number, dim: number): number {
  return (i * (2 * dim - i - 1)) / 2 + j - i - 1;
}

/** J as a log odds ratio; no edge is 0, never −0. */
function logOdds(coupling: number): number {
  return 0 - 2 * coupling;
}

/**
 * All pairs in lexicographic order at the penalty of number `at`. `truth` holds the couplings that the rows were drawn
 * from, `[dim, dim]`. What was chosen may be fewer edges than that penalty gives: those that are stable.
 */
export function pairsAt(result: NetworkResult, at: number, truth?: ArrayLike<number>): Pair[] {
  const { dim, path, pairs, edges, chosen } = result;
  const numPairs = (dim * (dim - 1)) / 2;
  const listed = new Map(edges.map((edge) => [pairIndex(...edge.sites, dim), edge]));
  return Array.from(sitesOf(dim), (sites, n): Pair => {
    const [i, j] = sites;
    const edge = listed.get(n);
    const coupling = at === chosen ? edge?.coupling : path.couplings[at * numPairs + n];
    const share = path.stability ? path.stability[at * numPairs + n] : pairs?.share?.[n];
    return {
      sites,
      penalized: logOdds(coupling ?? 0),
      debiased: pairs ? intervalAt(pairs, n) : edge && intervalOf(edge),
      share: share ?? edge?.share,
      truth: truth && logOdds(truth[i * dim + j] ?? 0),
    };
  });
}

function* sitesOf(dim: number): Generator<readonly [number, number]> {
  for (let i = 0; i < dim; i++) for (let j = i + 1; j < dim; j++) yield [i, j];
}

function intervalAt(
  { estimate, standardError, lower, upper }: NonNullable<NetworkResult['pairs']>,
  n: number,
): Interval | undefined {
  return intervalOf({
    estimate: estimate[n],
    standardError: standardError[n],
    lower: lower[n],
    upper: upper[n],
  });
}

/** An interval of J as one of ω: its ends change places. */
function intervalOf(of: { [K in keyof Interval]?: number | undefined }): Interval | undefined {
  const { estimate, standardError, lower, upper } = of;
  if (estimate === undefined || standardError === undefined) return undefined;
  if (lower === undefined || upper === undefined || !(lower <= upper)) return undefined;
  return {
    estimate: logOdds(estimate),
    standardError: 2 * standardError,
    lower: logOdds(upper),
    upper: logOdds(lower),
  };
}

/** Whether a pair is an edge that is shown: one that at least `leastShare` % of the fits have. */
export function isShown({ penalized, share }: Pair, leastShare: number): boolean {
  return penalized !== 0 && (share === undefined || 100 * share >= leastShare - 1e-9);
}

export function isMissed(pair: Pair, leastShare: number): boolean {
  return Boolean(pair.truth) && !isShown(pair, leastShare);
}

/** What the strength of a pair is best told by. */
export function strengthOf({ penalized, debiased }: Pair): number {
  return debiased?.estimate ?? penalized;
}

/** Edges that are shown, and true ones that are missed, from the most positive to the most negative. */
export function listed(pairs: readonly Pair[], leastShare: number): Pair[] {
  return pairs
    .filter((pair) => isShown(pair, leastShare) || isMissed(pair, leastShare))
    .sort((a, b) => strengthOf(b) - strengthOf(a));
}

/** How edges that are shown stand to the true ones. */
export interface Judgement {
  numTrue: number;
  numFound: number;
  numMissed: number;
  numFalse: number;
  /** Found of the true edges; NaN where there are none. */
  sensitivity: number;
  /** Left out of the pairs that are no true edges. */
  specificity: number;
  /** Intervals of all pairs, and how many hold the truth. */
  numIntervals: number;
  numHeld: number;
  /** The same of the edges shown. */
  numEdgeIntervals: number;
  numEdgesHeld: number;
}

export function judged(pairs: readonly Pair[], leastShare: number): Judgement {
  const among = (test: (pair: Pair) => boolean) => pairs.filter(test).length;
  const shown = (pair: Pair) => isShown(pair, leastShare);
  const numTrue = among(({ truth }) => Boolean(truth));
  const numFound = among((pair) => Boolean(pair.truth) && shown(pair));
  const numFalse = among((pair) => !pair.truth && shown(pair));
  const numNone = pairs.length - numTrue;
  return {
    numTrue,
    numFound,
    numMissed: numTrue - numFound,
    numFalse,
    sensitivity: numFound / numTrue,
    specificity: (numNone - numFalse) / numNone,
    numIntervals: among(({ debiased }) => debiased !== undefined),
    numHeld: among(holdsTruth),
    numEdgeIntervals: among((pair) => shown(pair) && pair.debiased !== undefined),
    numEdgesHeld: among((pair) => shown(pair) && holdsTruth(pair)),
  };
}

export function holdsTruth({ debiased, truth }: Pair): boolean {
  return (
    debiased !== undefined &&
    truth !== undefined &&
    debiased.lower <= truth &&
    truth <= debiased.upper
  );
}

/** Those of some edges that are at a node, strongest first. */
export function edgesAtNode(edges: readonly Pair[], node: number): Pair[] {
  return edges
    .filter(({ sites }) => sites.includes(node))
    .sort((a, b) => Math.abs(strengthOf(b)) - Math.abs(strengthOf(a)));
}
