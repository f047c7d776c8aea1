import type { NetworkProgress, NetworkResult } from 'unnorm';

/** What is charted against the penalty, from the least of them to the greatest. */
export interface PathCurves {
  penalties: number[];
  numEdges: number[];
  /** By which one of them is chosen; empty before the result. */
  score: (number | null)[];
  scoreErrors: (number | null)[];
}

/** An edge that is in so many of the fits to halves of the rows is stable. */
export const STABLE = 0.75;

export function curvesOf(
  result: NetworkResult | undefined,
  progress: NetworkProgress | undefined,
): PathCurves {
  if (!result) {
    const { penalties = [], numEdges = [] } = progress ?? {};
    const none = penalties.map(() => null);
    return {
      penalties: [...penalties].reverse(),
      numEdges: [...numEdges].reverse(),
      score: none,
      scoreErrors: none,
    };
  }
  const { penalties, path, dim } = result;
  const score = path.heldOut ?? stableEdges(path.stability, dim, penalties.length) ?? path.ebic;
  return {
    penalties: [...penalties].reverse(),
    numEdges: [...path.numEdges].reverse(),
    score: [...score].reverse(),
    scoreErrors: path.heldOutErrors ? [...path.heldOutErrors].reverse() : score.map(() => null),
  };
}

/** How many pairs are stable at each penalty. */
function stableEdges(
  stability: ArrayLike<number> | undefined,
  dim: number,
  numPenalties: number,
): number[] | undefined {
  if (!stability) return undefined;
  const numPairs = (dim * (dim - 1)) / 2;
  return Array.from({ length: numPenalties }, (_, at) => {
    let numStable = 0;
    for (let n = 0; n < numPairs; n++) {
      if ((stability[at * numPairs + n] ?? 0) >= STABLE) numStable++;
    }
    return numStable;
  });
}
