import { literal } from '../../lib/code.js';
import { dataSpec, fitSpec, shapeOf, transitionOf } from './jobs.js';
import type { ScoreField } from './score-field.svelte.js';
import { type Settings, setsOf } from './settings.js';

/** The lines that learn and draw the same with the package, printed from the very specs that the page runs. */
export function codeFor(lab: ScoreField): string {
  const { settings, noises } = lab;
  const both = lab.settings.target === 'and' || lab.settings.target === 'or';
  const kind = both && setsOf(settings).length === 2 ? settings.target : undefined;
  const noise = noises.at(-1) ?? 0;
  const { adjusted } = transitionOf(settings, noise) as { adjusted: boolean };
  const { steps, step, least, levels, particles, seed } = settings;
  const set = lab.settings.target === 'b' && setsOf(settings).length === 2 ? 'b' : 'a';
  const size = noise > 0 ? `${step} * noise` : `${step} * ${least}`;
  return [
    `import { createEngine } from 'unnorm';`,
    '',
    '// Middles of small round Gaussians: draws are exact, and so is the score that should be learned.',
    'const sets = {',
    ...setsOf(settings).map((id) => {
      const { means, sd } = shapeOf(settings, id) ?? { means: [], sd: 0 };
      return `  ${id}: ${literal({ seed: id === 'a' ? seed : seed + 1, sd, means: [...means] })},`;
    }),
    '};',
    `const noises = ${literal(noises)};`,
    '',
    'const engine = await createEngine();',
    ...learning(settings, noise),
    '',
    '// Annealed Langevin dynamics, from points that fill the plane evenly.',
    `const numChains = ${particles};`,
    'let states = Float64Array.from({ length: 2 * numChains }, (_, at) => {',
    '  const share = 0.5 + Math.floor(at / 2) * (at % 2 === 0 ? 0.7548776662 : 0.5698402909);',
    '  return Number((2.6 * (2 * (share % 1) - 1)).toFixed(6));',
    '});',
    'for (const [level, noise] of noises.entries()) {',
    ...(kind ? modelLines(kind) : [`  const model = learned.${set}[level];`]),
    `  const stepSize = Number((${size}).toPrecision(6));`,
    '  const { draws, digest } = await engine.sample({',
    '    model,',
    `    transition: { kind: 'langevin', adjusted: ${adjusted}, stepSize },`,
    '    numChains,',
    '    numWarmup: 0,',
    `    numDraws: ${noise > 0 ? steps : steps * levels},`,
    "    start: { kind: 'states', states },",
    `    seed: ${seed} + level,`,
    '  });',
    '  states = draws.values.slice(-2 * numChains);',
    "  console.log('samples', noise, digest);",
    '}',
    'await engine.close();',
  ].join('\n');
}

function learning(settings: Settings, noise: number): string[] {
  const data = dataSpec(settings, 'a');
  const first = fitSpec(settings, 'a', noise, new Float64Array(), undefined);
  const objective = literal(first.objective).replace(`noise: ${noise}`, 'noise');
  return [
    'const learned = {};',
    'for (const [name, { means, sd, seed }] of Object.entries(sets)) {',
    '  const { draws } = await engine.sample({',
    "    model: { kind: 'mixture', dim: 2, means, covariances: [sd * sd] },",
    `    transition: ${literal(data?.transition)},`,
    `    numChains: ${settings.rows},`,
    '    numWarmup: 0,',
    '    numDraws: 1,',
    "    start: { kind: 'exact' },",
    '    seed,',
    '  });',
    `  let model = ${literal(first.model)};`,
    '  learned[name] = [];',
    '  for (const [level, noise] of noises.entries()) {',
    '    const result = await engine.fit({',
    '      model,',
    '      states: draws.values,',
    `      objective: ${objective},`,
    `      optimizer: ${literal(first.optimizer)},`,
    `      ...(level === 0 && { init: ${literal(first.init)} }),`,
    '      seed,',
    '    });',
    '    model = result.model;',
    '    learned[name].push(model);',
    '    console.log(name, noise, result.objective, result.digest);',
    '  }',
    '}',
  ];
}

/** The two networks, combined. */
function modelLines(kind: Settings['target']): string[] {
  const networks = '  const networks = [learned.a[level], learned.b[level]];';
  if (kind === 'and') {
    return [
      networks,
      "  const model = { kind: 'combined', how: 'sum', parts: networks.map((model) => ({ model })) };",
    ];
  }
  return [
    networks,
    '  // What is learned of an energy leaves its constant open: log Z, by a sum over a grid.',
    '  const [reach, size] = [7, 240];',
    '  const grid = Float64Array.from({ length: 2 * size * size }, (_, at) => {',
    '    const cell = at >> 1;',
    '    const place = (n) => reach * ((2 * n + 1) / size - 1);',
    '    return at % 2 === 0 ? place(cell % size) : -place(Math.floor(cell / size));',
    '  });',
    '  const parts = [];',
    '  for (const network of networks) {',
    '    const { energies } = await engine.energies({ model: network, states: grid });',
    '    const least = energies.reduce((a, b) => Math.min(a, b));',
    '    const sum = energies.reduce((total, energy) => total + Math.exp(least - energy), 0);',
    '    const logZ = Math.log(sum) + 2 * Math.log((2 * reach) / size) - least;',
    '    // Functions of Math differ in the last bits between machines; these digits do not.',
    '    parts.push({ model: network, logZ: Number(logZ.toPrecision(10)) });',
    '  }',
    "  const model = { kind: 'combined', how: 'either', parts };",
  ];
}
