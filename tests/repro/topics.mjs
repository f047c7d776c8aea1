// Topics of documents: replicated softmax (Salakhutdinov and Hinton 2009), on the documents of a known machine of this kind. Does
// a machine fitted by contrastive divergence find words of documents it has not seen as probable as the machine that wrote them
// does, and are its topics the same? log Z is exact, where the paper had to anneal.

import { estimate, mean, withError } from './packed/estimates.mjs';
import { uniforms } from './uniforms.mjs';

export const name = 'topics';
export const about = 'topics of documents, by replicated softmax';
export const source = 'Salakhutdinov and Hinton 2009';
export const departures = [
  {
    of: 'data',
    paper: 'newsgroups, scientific papers and news, with 2,000 and 10,000 words',
    ours: 'documents of a known machine, so that there is a truth to compare with',
  },
  { of: 'log Z', paper: 'annealed importance sampling', ours: 'exact, by all hidden states' },
  { of: 'rival', paper: 'latent Dirichlet allocation', ours: 'the frequencies of words' },
];

const settings = (quick) =>
  quick
    ? { numTopics: 3, numRows: 2_000, numTest: 300, numEpochs: 60, lengths: [20, 30] }
    : { numTopics: 5, numRows: 6_000, numTest: 1_000, numEpochs: 60, lengths: [20, 40] };

/** Documents that are drawn at a time. */
const CHAINS = 1_000;

/**
 * A word belongs to a topic if its digit for that topic, in base 4, is 0: each has a quarter of the words, and any two of them a
 * sixteenth. So topics are on independently of each other, nearly, and each in half of the documents.
 */
function machine({ numTopics }, uniform) {
  const numWords = 4 ** numTopics;
  const weights = new Float64Array(numTopics * numWords);
  const wordBias = Float64Array.from({ length: numWords }, () => -uniform());
  const hiddenBias = new Float64Array(numTopics);
  for (let topic = 0; topic < numTopics; topic++) {
    let [on, off] = [0, 0];
    for (let word = 0; word < numWords; word++) {
      const weight = Math.floor(word / 4 ** topic) % 4 === 0 ? 1 + 0.5 * uniform() : 0;
      weights[topic * numWords + word] = weight;
      on += Math.exp(wordBias[word] + weight);
      off += Math.exp(wordBias[word]);
    }
    // To whole thousandths: logarithms may differ in their last bit from machine to machine.
    hiddenBias[topic] = -Math.round(1000 * Math.log(on / off)) / 1000;
  }
  const size = { numWords, numHidden: numTopics };
  return { kind: 'replicatedSoftmax', ...size, weights, wordBias, hiddenBias };
}

/**
 * The cosine of two topics' weights, each from its mean, without its sign: a hidden unit that is on where the topic is off makes the
 * same machine, with other biases.
 */
function likeness(a, b) {
  const centred = (x) => {
    const middle = mean([...x]);
    return x.map((value) => value - middle);
  };
  const [u, v] = [centred(a), centred(b)];
  const dot = (x, y) => x.reduce((sum, value, n) => sum + value * y[n], 0);
  return Math.abs(dot(u, v)) / Math.sqrt(dot(u, u) * dot(v, v));
}

/** For each topic of the truth the likeness of the learned one that is given to it, the most alike first. */
function matched(truth, learned) {
  const topics = ({ weights, numHidden, numWords }) =>
    Array.from({ length: numHidden }, (_, topic) =>
      weights.subarray(topic * numWords, (topic + 1) * numWords),
    );
  const pairs = topics(truth).flatMap((own, i) =>
    topics(learned).map((other, j) => ({ i, j, cosine: likeness(own, other) })),
  );
  pairs.sort((a, b) => b.cosine - a.cosine);
  const [taken, given] = [new Set(), new Set()];
  const found = [];
  for (const { i, j, cosine } of pairs) {
    if (taken.has(i) || given.has(j)) continue;
    taken.add(i);
    given.add(j);
    found.push(cosine);
  }
  return found;
}

export async function run({ engine, quick, seed, log }) {
  const size = settings(quick);
  const uniform = uniforms(seed);
  const { numTopics, numRows, numTest } = size;
  const truth = machine(size, uniform);
  const { numWords } = truth;
  const start = new Float64Array((numRows + numTest) * numWords);
  for (let row = 0; row < numRows + numTest; row++) {
    const [least, most] = size.lengths;
    const length = least + Math.floor((most - least + 1) * uniform());
    for (let n = 0; n < length; n++) start[row * numWords + Math.floor(numWords * uniform())]++;
  }
  // Some at a time: all their chains together would take too much memory.
  const documents = new Float64Array(start.length);
  for (let at = 0; at < start.length; at += CHAINS * numWords) {
    const states = start.subarray(at, at + CHAINS * numWords);
    const { draws } = await engine.sample({
      model: truth,
      transition: { kind: 'blockGibbs' },
      start: { kind: 'states', states },
      numChains: states.length / numWords,
      numWarmup: 500,
      numDraws: 1,
      seed: seed + at,
    });
    documents.set(draws.values, at);
  }
  const train = documents.subarray(0, numRows * numWords);
  const test = documents.subarray(numRows * numWords);
  log(`${numRows} documents of ${train.reduce((sum, count) => sum + count, 0)} words`);
  const frequencies = Float64Array.from({ length: numWords }, (_, word) => {
    let count = 1;
    for (let at = word; at < train.length; at += numWords) count += train[at];
    return Math.round(1000 * Math.log(count)) / 1000;
  });
  const lengths = Array.from({ length: numTest }, (_, row) =>
    test.subarray(row * numWords, (row + 1) * numWords).reduce((sum, count) => sum + count, 0),
  );
  const digests = [];
  /** Nats a word of each document. */
  const nats = async (model) => {
    const { logProbabilities, digest } = await engine.energies({
      model,
      states: test,
      logProbabilities: true,
    });
    digests.push(digest);
    return Array.from(logProbabilities, (log, n) => -log / lengths[n]);
  };
  const by = { truth: await nats(truth) };
  const blank = { kind: 'replicatedSoftmax', numWords, numHidden: numTopics };
  by.alone = await nats({ ...blank, wordBias: frequencies });
  const found = {};
  for (const [key, objective] of [
    ['cd', { kind: 'contrastiveDivergence', numSteps: 1 }],
    ['persistent', { kind: 'persistentContrastiveDivergence', numChains: 500 }],
  ]) {
    const fit = await engine.fit({
      model: { ...blank, wordBias: frequencies },
      states: train,
      objective,
      init: { kind: 'normal', scale: 0.1 },
      optimizer: { kind: 'adam', numEpochs: size.numEpochs, batchSize: 100, learningRate: 0.01 },
      regularizer: { kind: 'l2', strength: 0.0001 },
      seed,
    });
    digests.push(fit.digest);
    by[key] = await nats(fit.model);
    found[key] = matched(truth, fit.model);
    log(`${key} fitted`);
  }
  const labels = {
    cd: 'contrastive divergence, 1 step',
    persistent: 'persistent contrastive divergence',
    truth: 'the machine that wrote the documents',
    alone: 'frequencies of words alone',
  };
  const rows = Object.entries(labels).map(([key, label]) => {
    return {
      label,
      measured: {
        ...withError('nats', by[key]),
        perplexity: Math.exp(mean(by[key])),
        ...(found[key] && { leastAlike: Math.min(...found[key]) }),
      },
      paper: {},
    };
  });
  const gap = (a, b) => estimate(by[a].map((own, n) => own - by[b][n]));
  const share = (key) => gap('alone', key).mean / gap('alone', 'truth').mean;
  rows.push({
    label: 'of what can be gained over frequencies',
    measured: { cd: share('cd'), persistent: share('persistent') },
    paper: {},
  });
  const gain = gap('alone', 'cd');
  const checks = [
    {
      claim:
        'a machine fitted by contrastive divergence finds words of documents it has not seen more probable than their frequencies do',
      holds: gain.mean > 5 * gain.error,
    },
    {
      claim:
        'contrastive divergence gains four fifths or more of what can be gained over frequencies',
      holds: share('cd') >= 0.8,
    },
    {
      claim:
        'each topic of the truth is found: a learned one has weights with a cosine of 0.8 or more, up to its sign',
      holds: found.cd.length === numTopics && Math.min(...found.cd) >= 0.8,
    },
  ];
  return { rows, checks, digests };
}
