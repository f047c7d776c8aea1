/**
 * Places of the nodes of a network: links pull, nodes push one another away, until they rest. Begun from places that
 * only sums, products and square roots give, and stepped a fixed number of times, it is the same in every browser. Plain
 * JavaScript: the tests run it in Node.
 */

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';

/** The golden angle's cosine and sine, to turn by from one node to the next. */
const TURN = [-0.7373688780783197, 0.6754902942615238];
const NUM_STEPS = 300;
/** Starts that are tried, with so many nodes at most: more take long. */
const NUM_STARTS = 8;
const MOST_TRIED = 40;
/** So near to a node a link seems to end there. */
const CLOSE = 0.035;
/** With this decay the forces have gone to a thousandth after 300 steps. */
const DECAY = 0.0228;
/** How long a link of the greatest strength is, in units of the simulation, and one of the least. */
const LENGTHS = { strong: 60, weak: 110 };

/**
 * Where nodes lie about the middle of a sunflower: all apart, no two on a line.
 * @param {number} numNodes
 * @returns {[x: number, y: number][]}
 */
export function sunflower(numNodes) {
  let [x, y] = [1, 0];
  return Array.from({ length: numNodes }, (_, n) => {
    const [cosine = 1, sine = 0] = TURN;
    [x, y] = [x * cosine - y * sine, x * sine + y * cosine];
    const radius = 30 * Math.sqrt(n + 0.5);
    return [radius * x, radius * y];
  });
}

/**
 * Places of nodes with these links, the stronger the nearer, in units of the picture's sides: x and y are from −½ to ½.
 * Of a few starts, that whose links cross one another, and run over other nodes, least.
 * @param {number} numNodes
 * @param {readonly { sites: readonly [number, number], strength: number }[]} links The strengths are not negative.
 * @returns {[x: number, y: number][]}
 */
export function layoutOf(numNodes, links) {
  const numStarts = links.length > 0 && numNodes <= MOST_TRIED ? NUM_STARTS : 1;
  let best = settled(numNodes, links, 0);
  const faults = (/** @type {[number, number][]} */ places) =>
    crossings(places, links) + coverings(places, links);
  let fewest = faults(best);
  for (let start = 1; start < numStarts && fewest > 0; start++) {
    const places = settled(numNodes, links, start);
    const count = faults(places);
    if (count < fewest) [best, fewest] = [places, count];
  }
  return best;
}

/**
 * @param {number} numNodes
 * @param {readonly { sites: readonly [number, number], strength: number }[]} links
 * @param {number} start Which of the starts.
 */
function settled(numNodes, links, start) {
  const strongest = links.reduce((most, { strength }) => Math.max(most, strength), 0);
  const places = sunflower(numNodes);
  const shift = Math.floor((start * numNodes) / NUM_STARTS);
  /** @type {{ x: number, y: number }[]} */
  const nodes = places.map((_, n) => {
    const [x, y] = places[(n + shift) % numNodes] ?? [0, 0];
    return { x, y };
  });
  const springs = links.map(({ sites: [source, target], strength }) => ({
    source,
    target,
    length: LENGTHS.weak + (LENGTHS.strong - LENGTHS.weak) * (strength / strongest),
  }));
  const simulation = forceSimulation(nodes)
    .stop()
    .alphaDecay(DECAY)
    // Asked only where two nodes lie on the very same place.
    .randomSource(() => 0.5)
    .force(
      'links',
      forceLink(springs).distance(({ length }) => length),
    )
    .force('push', forceManyBody().strength(-220))
    .force('apart', forceCollide(22))
    // What nothing is linked to stays in the picture.
    .force('x', forceX(0).strength(0.07))
    .force('y', forceY(0).strength(0.07));
  simulation.tick(NUM_STEPS);
  return fitted(nodes);
}

/**
 * How many pairs of links cross.
 * @param {readonly (readonly [number, number])[]} places
 * @param {readonly { sites: readonly [number, number] }[]} links
 */
export function crossings(places, links) {
  let count = 0;
  links.forEach(({ sites: [a, b] }, n) => {
    for (const {
      sites: [c, d],
    } of links.slice(n + 1)) {
      if (a === c || a === d || b === c || b === d) continue;
      /** @param {number} i @param {number} j @param {number} k */
      const side = (i, j, k) => {
        const [[x, y], [x1, y1], [x2, y2]] = [places[i], places[j], places[k]].map(
          (place) => place ?? [0, 0],
        );
        return (x1 - x) * (y2 - y) - (y1 - y) * (x2 - x) > 0;
      };
      if (side(a, b, c) !== side(a, b, d) && side(c, d, a) !== side(c, d, b)) count++;
    }
  });
  return count;
}

/**
 * How often a link runs over a node that is none of its ends, or past it closely.
 * @param {readonly (readonly [number, number])[]} places In units of the picture's sides.
 * @param {readonly { sites: readonly [number, number] }[]} links
 */
export function coverings(places, links) {
  let count = 0;
  for (const {
    sites: [a, b],
  } of links) {
    const [[x, y], [x1, y1]] = [places[a] ?? [0, 0], places[b] ?? [0, 0]];
    const [dx, dy] = [x1 - x, y1 - y];
    places.forEach(([px, py], node) => {
      if (node === a || node === b) return;
      const along = ((px - x) * dx + (py - y) * dy) / Math.max(dx * dx + dy * dy, 1e-12);
      if (along <= 0 || along >= 1) return;
      const [offX, offY] = [px - x - along * dx, py - y - along * dy];
      if (offX * offX + offY * offY < CLOSE * CLOSE) count++;
    });
  }
  return count;
}

/**
 * Moved to the middle, and either side made as long as the unit.
 * @param {readonly { x: number, y: number }[]} nodes
 * @returns {[x: number, y: number][]}
 */
function fitted(nodes) {
  const [across, down] = [scaleOf(nodes.map(({ x }) => x)), scaleOf(nodes.map(({ y }) => y))];
  return nodes.map(({ x, y }) => [across(x), down(y)]);
}

/** @param {readonly number[]} values */
function scaleOf(values) {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  /** @param {number} value */
  return (value) => (value - (least + most) / 2) / Math.max(most - least, 1e-9);
}
