// What the lab "Network" does besides the fits: places of nodes, pairs against the truth, files.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverings, crossings, layoutOf, sunflower } from '../../www/lib/graph-layout.js';
import { knownCouplings } from '../../www/lib/known-network.js';
import { columnNames, headsOfText } from '../../www/lib/table-heads.js';
import { siteModule } from './site-module.mjs';

const { EXAMPLES } = await siteModule('labs/network/examples.ts');
const { edgesAtNode, holdsTruth, isShown, judged, listed, pairIndex, pairsAt } =
  await siteModule('labs/network/edges.ts');
const { dashOf, labelOf, lineAt, linesOf, placesIn, ring, unitsOf } = await siteModule(
  'labs/network/graph-picture.ts',
);
const { csvText, graphMl, pairsCsv, xmlText } = await siteModule('labs/network/writers.ts');
const { curvesOf } = await siteModule('labs/network/path.ts');

const linksOf = ({ names, edges }) =>
  edges.map(([from, to, logOdds]) => ({
    sites: [names.indexOf(from), names.indexOf(to)],
    strength: Math.abs(logOdds),
  }));

const distance = ([x, y], [otherX, otherY]) => Math.hypot(x - otherX, y - otherY);

test('linked nodes stand near one another, all within the picture, and always at the same places', () => {
  for (const example of Object.values(EXAMPLES)) {
    const links = linksOf(example);
    const places = layoutOf(example.names.length, links);
    assert.deepEqual(layoutOf(example.names.length, links), places);
    for (const axis of [0, 1]) {
      const values = places.map((place) => place[axis]);
      assert.ok(Math.abs(Math.min(...values) + 0.5) < 1e-12, example.name);
      assert.ok(Math.abs(Math.max(...values) - 0.5) < 1e-12, example.name);
    }
    let nearest = Number.POSITIVE_INFINITY;
    const [linked, others] = [[], []];
    places.forEach((place, i) => {
      for (let j = i + 1; j < places.length; j++) {
        const far = distance(place, places[j]);
        nearest = Math.min(nearest, far);
        const isLinked = links.some(({ sites }) => sites.includes(i) && sites.includes(j));
        (isLinked ? linked : others).push(far);
      }
    });
    assert.ok(nearest > 0.06, `${example.name}: ${nearest}`);
    const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
    if (links.length > 0) assert.ok(mean(linked) < 0.7 * mean(others), example.name);
    // Fewer cross than of nodes that stand anywhere.
    assert.ok(crossings(places, links) <= crossings(sunflower(places.length), links));
  }
});

test('links cross or do not', () => {
  const square = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ];
  const link = (...sites) => ({ sites });
  assert.equal(crossings(square, [link(0, 2), link(1, 3)]), 1);
  assert.equal(crossings(square, [link(0, 1), link(2, 3)]), 0);
  assert.equal(crossings(square, [link(0, 2), link(2, 3), link(0, 1)]), 0);
  // A node near the middle of a link, and one beyond its end.
  assert.equal(coverings([...square, [0.5, 0.51], [1.2, 1.2]], [link(0, 2), link(0, 1)]), 1);
  assert.equal(coverings([...square, [0.5, 0.6]], [link(0, 2)]), 0);
});

test('one node, two and many that nothing links have places, too', () => {
  assert.deepEqual(layoutOf(1, []), [[0, 0]]);
  const two = layoutOf(2, [{ sites: [0, 1], strength: 1 }]);
  assert.equal(Math.abs(two[0][0] - two[1][0]), 1);
  assert.equal(layoutOf(60, []).flat().every(Number.isFinite), true);
  assert.equal(layoutOf(3, [{ sites: [0, 1], strength: 0 }]).length, 3);
});

test('the couplings of a known network have its log odds ratios', () => {
  const names = ['a', 'b', 'c', 'd'];
  const edges = [
    ['a', 'b', 1.5],
    ['c', 'a', -0.7],
  ];
  const leanings = [0.3, 0, -0.4, 1];
  const couplings = knownCouplings(names, edges, leanings);
  const energy = (x) => {
    let sum = 0;
    for (let i = 0; i < 4; i++)
      for (let j = 0; j < 4; j++) sum += x[i] * couplings[4 * i + j] * x[j];
    return sum;
  };
  /** The log odds of one node given all others. */
  const odds = (node, x) => energy(x.with(node, 0)) - energy(x.with(node, 1));
  for (let state = 0; state < 16; state++) {
    const x = [0, 1, 2, 3].map((site) => (state >> site) & 1);
    for (const [i, j, expected] of [
      [0, 1, 1.5],
      [0, 2, -0.7],
      [1, 2, 0],
      [2, 3, 0],
    ]) {
      const ratio = odds(i, x.with(j, 1)) - odds(i, x.with(j, 0));
      assert.ok(Math.abs(ratio - expected) < 1e-12, `${i}, ${j}: ${ratio}`);
    }
  }
  const half = [0.5, 0.5, 0.5, 0.5];
  names.forEach((_, node) => {
    const others = names.reduce(
      (sum, __, other) =>
        other === node ? sum : sum - 2 * couplings[4 * node + other] * half[other],
      -couplings[5 * node],
    );
    assert.ok(Math.abs(others - leanings[node]) < 1e-12);
  });
});

test('the examples are what they are said to be', () => {
  for (const { names, edges, leanings, about } of Object.values(EXAMPLES)) {
    assert.match(about, /^Made up/);
    assert.equal(new Set(names).size, names.length);
    assert.equal(leanings.length, names.length);
    const pairs = edges.map(([from, to]) => [from, to].sort().join());
    assert.equal(new Set(pairs).size, pairs.length);
    assert.ok(edges.every(([from, to]) => names.includes(from) && names.includes(to)));
  }
  const { sparse, symptoms, independent } = EXAMPLES;
  assert.deepEqual([sparse.names.length, sparse.edges.length], [20, 24]);
  assert.match(sparse.about, /20 nodes and 24 edges, 7 of them negative/);
  assert.equal(sparse.edges.filter(([, , logOdds]) => logOdds < 0).length, 7);
  assert.equal(symptoms.names.length, 12);
  // The bridge is the only way from one community to the other.
  const first = new Set(symptoms.names.slice(0, 6));
  const bridges = symptoms.edges.filter(([from, to]) => first.has(from) !== first.has(to));
  assert.deepEqual(
    bridges.map(([from, to]) => [from, to]),
    [['poor sleep', 'worry']],
  );
  assert.equal(independent.names.length, 15);
  assert.equal(independent.edges.length, 0);
});

/** Of three nodes: two edges, one of them true; at the second penalty all three. */
const RESULT = {
  dim: 3,
  numRows: 100,
  chosen: 0,
  penalties: Float64Array.of(0.1, 0.01),
  path: {
    couplings: Float64Array.of(-0.4, 0.2, 0, -0.5, 0.3, -0.1),
    biases: new Float64Array(6),
    numEdges: [2, 3],
    logPseudolikelihood: [-2, -1.9],
    ebic: [410, 420],
  },
  edges: [
    { sites: [0, 1], coupling: -0.4 },
    { sites: [0, 2], coupling: 0.2 },
  ],
  pairs: {
    estimate: Float64Array.of(-0.6, 0.3, 0.01),
    standardError: Float64Array.of(0.1, 0.1, 0.1),
    lower: Float64Array.of(-0.8, 0.1, -0.2),
    upper: Float64Array.of(-0.4, 0.5, 0.2),
    share: Float64Array.of(0.9, 0.4, 0.1),
  },
  warnings: [],
  seed: 1,
  digest: '',
};
/** ω is 1 of the first pair, 0.4 of the last. */
const TRUTH = [0, -0.5, 0, -0.5, 0, -0.2, 0, -0.2, 0];

test('pairs are in lexicographic order', () => {
  for (const dim of [2, 3, 7]) {
    let n = 0;
    for (let i = 0; i < dim; i++) {
      for (let j = i + 1; j < dim; j++) assert.equal(pairIndex(i, j, dim), n++);
    }
  }
});

test('couplings become log odds ratios, and the ends of their intervals change places', () => {
  const pairs = pairsAt(RESULT, 0, TRUTH);
  assert.deepEqual(pairs[0], {
    sites: [0, 1],
    penalized: 0.8,
    debiased: { estimate: 1.2, standardError: 0.2, lower: 0.8, upper: 1.6 },
    share: 0.9,
    truth: 1,
  });
  assert.equal(pairs[1].penalized, -0.4);
  assert.ok(Object.is(pairs[2].penalized, 0));
  assert.equal(pairs[2].truth, 0.4);
  assert.equal(pairsAt(RESULT, 1)[2].penalized, 0.2);
  assert.equal(pairsAt(RESULT, 1)[2].truth, undefined);
  // Without all pairs, edges bring their own.
  const { pairs: _, ...rest } = RESULT;
  const edges = [
    {
      sites: [0, 1],
      coupling: -0.4,
      estimate: -0.6,
      standardError: 0.1,
      lower: -0.8,
      upper: -0.4,
      share: 1,
    },
  ];
  const few = pairsAt({ ...rest, edges }, 0);
  assert.deepEqual(few[0].debiased, pairs[0].debiased);
  assert.deepEqual([few[0].share, few[1].share, few[1].debiased], [1, undefined, undefined]);
  // Stability belongs to the penalty that is looked at.
  const stability = Float64Array.of(0.5, 0.6, 0.7, 0.8, 0.9, 1);
  const stable = { ...RESULT, path: { ...RESULT.path, stability } };
  assert.deepEqual(
    pairsAt(stable, 1).map(({ share }) => share),
    [0.8, 0.9, 1],
  );
  // What is not a number is no interval.
  const broken = {
    ...RESULT,
    pairs: { ...RESULT.pairs, lower: Float64Array.of(Number.NaN, 0, 0) },
  };
  assert.equal(pairsAt(broken, 0)[0].debiased, undefined);
});

test('edges are found, missed or false', () => {
  const pairs = pairsAt(RESULT, 0, TRUTH);
  assert.deepEqual(judged(pairs, 0), {
    numTrue: 2,
    numFound: 1,
    numMissed: 1,
    numFalse: 1,
    sensitivity: 0.5,
    specificity: 0,
    numIntervals: 3,
    numHeld: 2,
    numEdgeIntervals: 2,
    numEdgesHeld: 1,
  });
  assert.deepEqual(pairs.map(holdsTruth), [true, false, true]);
  // In half of the fits at least: the false one goes.
  const strict = judged(pairs, 50);
  assert.deepEqual([strict.numFound, strict.numFalse, strict.specificity], [1, 0, 1]);
  assert.equal(judged(pairs, 95).numFound, 0);
  assert.ok(isShown(pairs[0], 90));
  assert.deepEqual(
    listed(pairs, 0).map(({ sites }) => sites),
    [
      [0, 1],
      [1, 2],
      [0, 2],
    ],
  );
  assert.deepEqual(
    edgesAtNode(pairs, 0).map(({ sites }) => sites),
    [
      [0, 1],
      [0, 2],
    ],
  );
  assert.equal(judged(pairsAt(RESULT, 0, new Float64Array(9)), 0).sensitivity, Number.NaN);
});

test('the path goes from the least penalty to the greatest', () => {
  const curves = curvesOf(RESULT, undefined);
  assert.deepEqual(curves.penalties, [0.01, 0.1]);
  assert.deepEqual(curves.numEdges, [3, 2]);
  assert.deepEqual(curves.score, [420, 410]);
  const stability = Float64Array.of(0.5, 0.75, 0.7, 0.8, 0.9, 1);
  assert.deepEqual(
    curvesOf({ ...RESULT, path: { ...RESULT.path, stability } }, undefined).score,
    [3, 1],
  );
  const heldOut = { heldOut: [-2, -3], heldOutErrors: [0.1, 0.2] };
  const held = curvesOf({ ...RESULT, path: { ...RESULT.path, ...heldOut } }, undefined);
  assert.deepEqual(
    [held.score, held.scoreErrors],
    [
      [-3, -2],
      [0.2, 0.1],
    ],
  );
  const under = curvesOf(undefined, { penalties: [0.1], numEdges: [0] });
  assert.deepEqual(under, { penalties: [0.1], numEdges: [0], score: [null], scoreErrors: [null] });
  assert.deepEqual(curvesOf(undefined, undefined).penalties, []);
});

test('lines are as wide as edges are strong, and dashed where these are negative', () => {
  const pairs = pairsAt(RESULT, 0, TRUTH);
  const places = placesIn(ring(3), 400, 300);
  const shown = pairs.filter((pair) => isShown(pair, 0));
  const lines = linesOf(shown, [pairs[2]], places, 0.8);
  assert.deepEqual(
    lines.map(({ kind, isFalse }) => [kind, isFalse]),
    [
      ['missed', false],
      ['positive', false],
      ['negative', true],
    ],
  );
  const [missed, strong, weak] = lines;
  assert.equal(strong.width, 2 * weak.width);
  assert.ok(strong.halo > strong.width && missed.halo === 0);
  assert.ok(strong.opacity > weak.opacity);
  assert.deepEqual(dashOf(strong), []);
  assert.ok(dashOf(weak).length === 2 && dashOf(missed).length === 2);
  // A place within, and back.
  for (const [x, y] of places.centres) assert.ok(x > 0 && x < 400 && y > 0 && y < 300);
  const [x, y] = unitsOf(places.centres[1], 400, 300);
  assert.ok(distance([x, y], ring(3)[1]) < 1e-12);
  const middle = [0, 1].map((axis) => (strong.from[axis] + strong.to[axis]) / 2);
  assert.equal(lineAt(lines, middle), strong);
  assert.equal(lineAt(lines, [-50, -50]), undefined);
  assert.equal(labelOf('a very long name indeed', 3), 'a very long name …');
  assert.equal(labelOf('a very long name indeed', 50), 'a very l…');
  assert.equal(labelOf('a name', 50), 'a name');
});

test('names come from the first line if it holds no number', () => {
  assert.deepEqual(headsOfText('\uFEFF"sad mood",guilt\r\n0,1\r\n'), ['sad mood', 'guilt']);
  assert.deepEqual(headsOfText('\n\na;b;c\n1;0;1'), ['a', 'b', 'c']);
  assert.deepEqual(headsOfText('a\tb c\n0\t1'), ['a', 'b c']);
  assert.deepEqual(headsOfText('  a   b \n0 1'), ['a', 'b']);
  assert.deepEqual(headsOfText('"one, ""two""",three\n0,1'), ['one, "two"', 'three']);
  for (const text of ['0,1\n1,0', 'a,1\n0,1', '', '\n']) assert.equal(headsOfText(text), undefined);
  assert.deepEqual(columnNames(['a', 'b', 'a', ' '], 4), ['a', 'b', 'a (2)', 'v4']);
  assert.deepEqual(columnNames(['a'], 2), ['v1', 'v2']);
  assert.deepEqual(columnNames(undefined, 2), ['v1', 'v2']);
  assert.equal(columnNames(['x'.repeat(500), 'b'], 2)[0].length, 60);
});

test('edges are written as CSV and as GraphML, whatever their names', () => {
  const names = ['a "b"', '<c> & d', 'e'];
  const pairs = pairsAt(RESULT, 0, TRUTH);
  const lines = pairsCsv(pairs, names, (pair) => isShown(pair, 0)).split('\n');
  assert.equal(lines[0], 'from,to,edge,penalized,estimate,standardError,lower,upper,share,truth');
  assert.equal(lines[1], '"a ""b""","<c> & d",1,0.8,1.2,0.2,0.8,1.6,0.9,1');
  assert.equal(lines[3].split(',').slice(2, 4).join(), '0,0');
  assert.equal(csvText('plain'), 'plain');
  const { pairs: _, ...rest } = RESULT;
  assert.equal(
    pairsCsv(pairsAt(rest, 0).slice(0, 1), names, () => true).split('\n')[1],
    '"a ""b""","<c> & d",1,0.8,,,,,',
  );
  const xml = graphMl(pairs.slice(0, 2), names);
  assert.match(xml, /<node id="n1"><data key="label">&lt;c&gt; &amp; d<\/data><\/node>/);
  assert.match(xml, /<edge source="n0" target="n1">\s+<data key="weight">0.8<\/data>/);
  assert.equal(xml.match(/<edge /g).length, 2);
  assert.equal(xmlText('a\u0000b\ud800c'), 'abc');
});
