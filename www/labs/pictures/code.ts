import { functionsOf, literal, propertyLines } from '../../lib/code.js';
import randomModels from '../../lib/random-models.js?raw';
import { picturesCode } from '../../patches/code.js';
import { patchesSpecWithoutPictures } from '../../patches/patches.js';
import { fitSpecWithoutStates, modelWithoutFilters, noiseScale } from './fit-spec.js';
import { annealing } from './judge.js';
import { finalSampling } from './sampling.js';
import { isComplete, numFilters, ofThePatches, type Settings } from './settings.js';

/**
 * The lines that cut the patches, fit, judge and sample the model of these settings with the package. Printed from the
 * very specs that the page runs.
 */
export function codeFor(settings: Settings): string {
  const { components, seed } = settings;
  const { model: _, ...rest } = fitSpecWithoutStates(settings);
  const num = numFilters(settings);
  const start = modelWithoutFilters(settings);
  const { lambda, hiddenBias, ...model } = start as { lambda?: number[]; hiddenBias?: number[] };
  const filters = start.kind === 'gaussianRbm' ? 'weights' : 'filters';
  const complete = isComplete(settings);
  return [
    "import { createEngine, receptiveFields } from 'unnorm';",
    '',
    ...picturesCode(settings),
    '',
    ...functionsOf(randomModels, 'normals', 'noiseFilters'),
    'const engine = await createEngine();',
    'const { states, testStates, transform } = await engine.patches({',
    '  pictures,',
    ...propertyLines(patchesSpecWithoutPictures(ofThePatches(settings))),
    '});',
    'const result = await engine.fit({',
    '  model: {',
    ...propertyLines(model, 4),
    `    ${filters}: noiseFilters(${num}, ${components}, ${noiseScale(settings)}, ${seed}),`,
    ...(lambda ? [`    lambda: Array(${num}).fill(${lambda[0]}),`] : []),
    ...(hiddenBias ? [`    hiddenBias: Array(${num}).fill(${hiddenBias[0]}),`] : []),
    '  },',
    '  states,',
    ...propertyLines(rest),
    '});',
    'const { model } = result;',
    ...(complete ? exact : estimated(seed)),
    `const { draws } = await engine.sample({ model, ...${literal(finalSampling(start.kind, complete, seed))} });`,
    `const fields = receptiveFields(transform, model.${filters});`,
    'console.log(draws.values.length, fields.length, result.digest);',
    'await engine.close();',
  ].join('\n');
}

const exact = [
  '// Exact: the log likelihood of patches held out, in nats a patch.',
  'const { logZ } = await engine.exact({ model });',
  'const { energies } = await engine.energies({ model, states: testStates });',
  'console.log(-energies.reduce((sum, energy) => sum + energy, 0) / energies.length - logZ);',
];

function estimated(seed: number): string[] {
  return [
    '// Estimated by annealing: the log likelihood of patches held out, in nats a patch.',
    'const { likelihood } = await engine.logZ({',
    '  model,',
    '  states: testStates,',
    ...propertyLines(annealing(seed)),
    '});',
    'console.log(likelihood.mean.value, likelihood.mean.standardError);',
  ];
}
