import { functionsOf, literal, propertyLines } from '../../lib/code.js';
import randomBits from '../../lib/random-bits.js?raw';
import tastePeople from '../../lib/taste-people.js?raw';
import wordCounts from '../../lib/word-counts.js?raw';
import { NUM_BITS, NUM_THINGS, THINGS, TITLES } from './catalogue.js';
import { corpusUrl } from './corpus.js';
import { HELD_OUT_EVERY, NUM_HELD_OUT, peopleWithoutModel, tasteFit, topicFit } from './machine.js';
import { STREAMS } from './people.js';
import type { TopicsAndTaste } from './topics-and-taste.svelte.js';

/** The lines that fit the same with the package, printed from the very specs that the page runs. */
export function codeFor(lab: TopicsAndTaste): string {
  return lab.isTaste ? tasteCode(lab) : topicsCode(lab);
}

function tasteCode({ plainSettings: settings, taste }: TopicsAndTaste): string {
  const { model, ...fit } = tasteFit(settings);
  const rated = [...taste.ratings].flatMap((rating, thing) =>
    rating > 0 ? [[thing, rating]] : [],
  );
  return [
    "import { createEngine } from 'unnorm';",
    '',
    '// Films: how well each is thought of, and how much the five tastes want it.',
    'const things = [',
    ...THINGS.map((numbers, n) => `  [${numbers.join(', ')}], // ${TITLES[n]}`),
    '];',
    `const [numSites, dim, numRows] = [${NUM_THINGS}, ${NUM_BITS}, ${settings.people}];`,
    'const [NUM_VALUES, FEWEST, MOST] = [5, 8, 20];',
    '',
    ...functionsOf(randomBits, 'mix', 'words'),
    ...functionsOf(tastePeople, 'trueMachine', 'withFewRatings', 'frequencies', 'startingBiases'),
    'const engine = await createEngine();',
    `// Complete rows of people; the last ${NUM_HELD_OUT} are held out.`,
    'const { draws } = await engine.sample({',
    '  model: trueMachine(things),',
    ...propertyLines(peopleWithoutModel(settings)),
    '});',
    `const bits = withFewRatings(draws.bits, numRows, numSites, ${settings.seed}, ${STREAMS.training});`,
    'const { model, digest } = await engine.fit({',
    `  model: ${withBias(model, 'visibleBias: startingBiases(bits, numRows, numSites)')},`,
    "  data: { kind: 'bits', dim, numRows, bits },",
    ...propertyLines(fit),
    '});',
    '',
    '// Your ratings: the film, and from 1 to 5.',
    'const states = new Float64Array(dim);',
    `for (const [thing, rating] of ${literal(rated)}) states[thing * NUM_VALUES + rating - 1] = 1;`,
    'const { conditionals } = await engine.energies({ model, states, conditionals: true });',
    'for (let thing = 0; thing < numSites; thing++) {',
    '  const shares = conditionals.subarray(thing * NUM_VALUES, (thing + 1) * NUM_VALUES);',
    '  console.log(thing, shares.reduce((sum, p, n) => sum + p * (n + 1), 0).toFixed(2));',
    '}',
    "console.log('digest', digest);",
    'await engine.close();',
  ].join('\n');
}

function topicsCode({ plainSettings: settings, topics }: TopicsAndTaste): string {
  const { model, ...fit } = topicFit(settings, topics.corpus?.words.length ?? 0);
  return [
    "import { createEngine } from 'unnorm';",
    '',
    `const response = await fetch('${corpusUrl()}');`,
    'const { words, paragraphs } = await response.json();',
    'const numWords = words.length;',
    'const documents = paragraphs.map((paragraph) => paragraph.words);',
    `const training = documents.filter((_, n) => n % ${HELD_OUT_EVERY} !== 0);`,
    `const heldOut = documents.filter((_, n) => n % ${HELD_OUT_EVERY} === 0);`,
    '',
    ...functionsOf(wordCounts, 'countsOf', 'wordShares', 'startingWordBiases'),
    'const engine = await createEngine();',
    'const { model, digest } = await engine.fit({',
    `  model: ${withBias(model, 'wordBias: startingWordBiases(training, numWords)')},`,
    '  states: countsOf(training, numWords),',
    ...propertyLines(fit),
    '});',
    '',
    'const states = countsOf(heldOut, numWords);',
    'const { logProbabilities } = await engine.energies({ model, states, logProbabilities: true });',
    'const nats = -logProbabilities.reduce((sum, log) => sum + log, 0);',
    "console.log('perplexity', Math.exp(nats / heldOut.flat().length).toFixed(1));",
    "console.log('digest', digest);",
    'await engine.close();',
  ].join('\n');
}

/** A model as JavaScript, with one property more. */
function withBias(model: object, bias: string): string {
  return literal(model).replace(/ }$/, `, ${bias} }`);
}
