import { functionsOf, literal } from '../../lib/code.js';
import randomModels from '../../lib/random-models.js?raw';
import { fitSpecWithoutStates, modelWithoutFilters, noiseScale } from './fit-spec.js';
import { annealing } from './judge.js';
import { patchesSpecWithoutPictures } from './patches.js';
import { addressOf } from './photographs.js';
import { finalSampling } from './sampling.js';
import { isComplete, numFilters, type Settings } from './settings.js';

/**
 * The lines that cut the patches, fit, judge and sample the model of these settings with the package. Printed from the
 * very specs that the page runs.
 */
export function codeFor(settings: Settings): string {
  const { components, seed } = settings;
  const { model: _, ...rest } = fitSpecWithoutStates(settings);
  const num = numFilters(settings);
  const { lambda, ...model } = modelWithoutFilters(settings) as { lambda?: number[] };
  const complete = isComplete(settings);
  return [
    "import { createEngine, receptiveFields } from 'unnorm';",
    '',
    ...picturesOf(settings),
    '',
    ...functionsOf(randomModels, 'normals', 'noiseFilters'),
    'const engine = await createEngine();',
    'const { states, testStates, transform } = await engine.patches({',
    '  pictures,',
    ...properties(patchesSpecWithoutPictures(settings)),
    '});',
    'const result = await engine.fit({',
    '  model: {',
    ...properties(model, 4),
    `    filters: noiseFilters(${num}, ${components}, ${noiseScale(settings)}, ${seed}),`,
    ...(lambda ? [`    lambda: Array(${num}).fill(${lambda[0]}),`] : []),
    '  },',
    '  states,',
    ...properties(rest),
    '});',
    'const { model } = result;',
    ...(complete ? exact : estimated(seed)),
    `const { draws } = await engine.sample({ model, ...${literal(finalSampling(complete, seed))} });`,
    'const fields = receptiveFields(transform, model.filters);',
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
    ...properties(annealing(seed)),
    '});',
    'console.log(likelihood.mean.value, likelihood.mean.standardError);',
  ];
}

function picturesOf({ source, photographs }: Settings): string[] {
  if (source === 'own') {
    return [
      '// Your pictures, grey: pixels is a Uint8Array of width × height levels, row by row.',
      'const pictures = [{ width, height, pixels }];',
    ];
  }
  return [
    '/** The levels of grey of a picture at an address. */',
    'async function greys(address) {',
    '  const file = await (await fetch(address)).blob();',
    "  const image = await createImageBitmap(file, { colorSpaceConversion: 'none' });",
    '  const { width, height } = image;',
    "  const context = new OffscreenCanvas(width, height).getContext('2d');",
    '  context.drawImage(image, 0, 0);',
    '  const { data } = context.getImageData(0, 0, width, height);',
    '  const pixels = Uint8Array.from({ length: width * height }, (_, n) => data[4 * n]);',
    '  return { width, height, pixels };',
    '}',
    '',
    'const addresses = [',
    ...photographs.map((id) => `  '${addressOf(id)}',`),
    '];',
    'const pictures = await Promise.all(addresses.map(greys));',
  ];
}

function properties(spec: object, indent = 2): string[] {
  return Object.entries(spec).map(
    ([name, value]) => `${' '.repeat(indent)}${name}: ${literal(value)},`,
  );
}
