import { functionsOf, propertyLines } from '../../lib/code.js';
import imageModels from '../../lib/image-models.js?raw';
import randomModels from '../../lib/random-models.js?raw';
import { picturesCode } from '../../patches/code.js';
import { patchesSpecWithoutPictures } from '../../patches/patches.js';
import { CONTESTANTS, type Contestant } from './contestants.js';
import {
  annealingsOf,
  hasLoss,
  lossOf,
  meansOf,
  NUM_ZERO_PATCHES,
  noiseSeed,
  sizeOf,
  trainingOf,
} from './plan.js';
import { ofThePatches, type Settings } from './settings.js';

/**
 * The lines that cut the patches, train and judge the models of these settings with the package, and print the same
 * digests. Printed from the very specs that the page runs.
 */
export function codeFor(settings: Settings): string {
  const contestants = CONTESTANTS.filter(({ id }) => settings.contestants.includes(id));
  return [
    "import { createEngine } from 'unnorm';",
    '',
    ...picturesCode(settings),
    '',
    ...functionsOf(randomModels, 'normals'),
    ...functionsOf(imageModels, 'startingModel'),
    '// What each starts from, how it is trained, and the annealings that judge it, one after another.',
    'const contestants = [',
    ...contestants.flatMap((contestant) => [
      '  {',
      ...propertyLines(described(contestant, settings), 4),
      '  },',
    ]),
    '];',
    '',
    'const engine = await createEngine();',
    'const { states, testStates, digest } = await engine.patches({',
    '  pictures,',
    ...propertyLines(patchesSpecWithoutPictures(ofThePatches(settings))),
    '});',
    'const digests = [digest];',
    'for (const { name, start, training, isExact, annealings, isGenerative, drawn } of contestants) {',
    '  const [kind, size, noise, numMeans] = start;',
    `  const begun = startingModel(kind, ${settings.components}, size, normals(noise), numMeans);`,
    '  const fitted = await engine.fit({ model: begun, states, ...training });',
    '  const { model } = fitted;',
    '  digests.push(fitted.digest);',
    '  if (isExact) {',
    '    const exact = await engine.exact({ model });',
    '    const { energies } = await engine.energies({ model, states: testStates });',
    '    const mean = energies.reduce((sum, energy) => sum + energy, 0) / energies.length;',
    '    digests.push(exact.digest);',
    '    console.log(name, -mean - exact.logZ);',
    '  }',
    '  for (const annealing of annealings) {',
    '    const result = await engine.logZ({ model, states: testStates, ...annealing });',
    '    const { value, standardError } = result.likelihood.mean;',
    '    digests.push(result.digest);',
    '    console.log(name, annealing.numDistributions, value, standardError);',
    '  }',
    '  if (isGenerative) {',
    '    // Without basis functions it is plain noise.',
    '    const zero = { ...model, basis: new Float64Array(model.basis.length) };',
    `    const few = testStates.slice(0, ${NUM_ZERO_PATCHES * settings.components});`,
    '    const result = await engine.logZ({ model: zero, states: few, ...annealings.at(-1) });',
    '    digests.push(result.digest);',
    '  }',
    '  if (drawn) {',
    '    // Patches drawn from the model: what annealing loses of their likelihood.',
    '    const { likelihood, digest } = await engine.logZ({ model, ...drawn });',
    '    digests.push(digest);',
    "    console.log(name, 'loses up to', likelihood.gap.interval.upper);",
    '  }',
    '}',
    'await engine.close();',
    '',
    '// The digest of all digests.',
    "const text = new TextEncoder().encode(digests.join('\\n'));",
    "const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', text));",
    "console.log([...hash].map((byte) => byte.toString(16).padStart(2, '0')).join(''));",
  ].join('\n');
}

function described(contestant: Contestant, settings: Settings) {
  const { id, kind, truth, isGenerative } = contestant;
  const means = meansOf(contestant, settings);
  return {
    name: id,
    start: [
      kind,
      sizeOf(contestant, settings),
      noiseSeed(contestant, settings),
      ...(means === undefined ? [] : [means]),
    ],
    training: trainingOf(contestant, settings),
    isExact: truth === 'engine',
    isGenerative,
    annealings: annealingsOf(contestant, settings),
    ...(hasLoss(contestant) && { drawn: lossOf(contestant, settings) }),
  };
}
