import type { StructureLevel } from 'unnorm';

/** A structure that was tried, as the tree shows it. */
export interface TreeNode {
  text: string;
  /** What it has gained on G, in nats a row and column. */
  gain: number;
  /** What it has gained on the structure that it is made of, with the standard error. */
  step: number;
  stepError: number;
  /** The place of that one among the nodes of the level before. */
  parent: number | undefined;
  /** Whether it is the structure that is found, or on the way to it. */
  isOnPath: boolean;
}

/** What a level's best has to gain on that of the level before, in nats a row and column: the engine's usual value. */
const MIN_GAIN = 1;

/** The levels of the search, the nodes of each by score, the best first; and the nodes on the way from G to the structure that is best. */
export function treeOf(levels: readonly StructureLevel[]): {
  levels: TreeNode[][];
  path: TreeNode[];
} {
  const base = levels[0]?.candidates[0]?.score ?? 0;
  const orders = levels.map(({ candidates }) =>
    candidates
      .map((_, n) => n)
      .sort((a, b) => (candidates[b]?.score ?? 0) - (candidates[a]?.score ?? 0)),
  );
  const nodes = levels.map(({ candidates }, level) =>
    (orders[level] ?? []).flatMap((n): TreeNode[] => {
      const candidate = candidates[n];
      if (!candidate) return [];
      const { text, score, parent, gainError } = candidate;
      const before = parent === undefined ? score : levels[level - 1]?.candidates[parent]?.score;
      return [
        {
          text,
          gain: score - base,
          step: score - (before ?? score),
          stepError: gainError,
          parent: parent === undefined ? undefined : orders[level - 1]?.indexOf(parent),
          isOnPath: false,
        },
      ];
    }),
  );
  // The best so far by the engine's own rule: a level counts if it gains enough.
  let found = 0;
  while ((nodes[found + 1]?.[0]?.gain ?? -1) - (nodes[found]?.[0]?.gain ?? 0) > MIN_GAIN) found++;
  const path: TreeNode[] = [];
  let node = nodes[found]?.[0];
  for (let level = found; node; level--) {
    node.isOnPath = true;
    path.unshift(node);
    node = node.parent === undefined ? undefined : nodes[level - 1]?.[node.parent];
  }
  return { levels: nodes, path };
}
