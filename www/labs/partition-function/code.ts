import type { LogZSpec } from 'unnorm';
import { functionsOf, literal } from '../../lib/code.js';
import randomModels from '../../lib/random-models.js?raw';
import { couplingsUrl, LATTICE } from '../../lib/spin-glass.js';
import { cheapSpec, levelSpec, type Problem } from './jobs.js';
import type { PartitionFunction } from './partition-function.svelte.js';
import { FIRST_K, LAST_K, type Settings } from './settings.js';

/** How the model is written: lines before, and the model. */
interface Written {
  before: string[];
  model: string;
}

/** The lines that take the run on the page again with the package. */
export function codeFor(lab: PartitionFunction): string {
  const { problem } = lab;
  if (!problem) return '// The data are on their way.';
  const { settings, model } = problem;
  const { before, model: written } = writtenModel(problem);
  const level = levelSpec(problem, FIRST_K);
  const cheap = cheapSpec(problem);
  const { reference, schedule, transition, numStepsPerDistribution, reverse, confidence } = level;
  return [
    ...imports(settings),
    '',
    ...before,
    `const model = ${written};`,
    'const common = {',
    '  model,',
    ...(reference ? [`  reference: ${writtenReference(settings, model)},`] : []),
    `  transition: ${literal(transition)},`,
    `  reverse: ${literal(reverse)},`,
    `  confidence: ${confidence},`,
    '};',
    `const seedOf = (K) => ${settings.seed} * 2 ** 20 + K;`,
    '',
    'const engine = await createEngine();',
    ...(lab.exact.kind === 'known'
      ? ["console.log('exact', (await engine.exact({ model })).logZ);"]
      : []),
    '// One step: simple importance sampling, and in reverse the harmonic mean.',
    `const cheap = await engine.logZ({ ...common, ${cheapParts(cheap)}, seed: seedOf(1) });`,
    "console.log('cheap', cheap.forward.logZ.value, cheap.reverse.logZ.value);",
    `for (let K = ${FIRST_K}; K <= ${LAST_K}; K *= 2) {`,
    '  const { logZ, standardError, forward, reverse, warnings, digest } = await engine.logZ({',
    '    ...common,',
    `    schedule: ${literal(schedule)},`,
    `    numChains: ${settings.chains},`,
    '    numDistributions: K,',
    ...(numStepsPerDistribution
      ? [`    numStepsPerDistribution: ${numStepsPerDistribution},`]
      : []),
    '    pilot: { numChains: 64, numDistributions: Math.min(500, Math.max(50, K / 2)) },',
    '    seed: seedOf(K),',
    '  });',
    '  console.log(K, logZ, standardError, warnings, digest);',
    '  const [a, b] = [forward.logZ.interval, reverse.logZ.interval];',
    '  const gap = Math.max(a.upper, b.upper) - Math.min(a.lower, b.lower);',
    `  if (gap <= ${settings.gap}) break;`,
    '}',
    'await engine.close();',
  ].join('\n');
}

function imports({ model }: Settings): string[] {
  return [`import { createEngine${model === 'glass' ? ', readNpy' : ''} } from 'unnorm';`];
}

function cheapParts({ schedule, numChains, pilot }: LogZSpec): string {
  return literal({ schedule, numChains, numDistributions: 1, pilot }).slice(2, -2);
}

function writtenModel({ settings, model }: Problem): Written {
  const { shape, size, modelSeed } = settings;
  switch (settings.model) {
    case 'glass':
      return {
        before: [
          `const response = await fetch('${couplingsUrl}');`,
          'const { values } = readNpy(new Uint8Array(await response.arrayBuffer()));',
        ],
        model: withValues(
          { kind: 'ising', dim: 100, pattern: { kind: 'lattice', ...LATTICE, periodic: false } },
          `couplings: values.map((coupling) => ${shape} * coupling)`,
        ),
      };
    case 'ising':
      return {
        before: helpers('normals', 'spinGlassCouplings'),
        model: withValues(
          { kind: 'ising', dim: size },
          `couplings: spinGlassCouplings(${size}, ${shape}, ${modelSeed})`,
        ),
      };
    case 'rbm': {
      const { kind, numVisible, numHidden } = model as {
        kind: 'rbm';
        numVisible: number;
        numHidden: number;
      };
      return {
        before: helpers('normals', 'randomRbm'),
        model: withValues(
          { kind, numVisible, numHidden },
          `...randomRbm(${numVisible}, ${numHidden}, ${shape}, ${modelSeed})`,
        ),
      };
    }
    case 'laplace':
    case 'studentT': {
      const {
        filters: _,
        lambda,
        ...rest
      } = model as {
        kind: 'productOfExperts';
        numExperts: number;
        dim: number;
        filters: unknown;
        lambda: number[];
      };
      const { numExperts, dim } = rest;
      return {
        before: helpers('normals', 'randomFilters'),
        model: withValues(
          rest,
          `filters: randomFilters(${numExperts}, ${dim}, ${modelSeed}), lambda: Array(${numExperts}).fill(${lambda[0]})`,
        ),
      };
    }
    case 'gaussian':
      return {
        before: [],
        model: withValues(
          { kind: 'gaussian', dim: size },
          `covariance: Array.from({ length: ${size * size} }, (_, n) => (n % ${size + 1} === 0 ? 1 : ${shape}))`,
        ),
      };
    default:
      return { before: [], model: literal(model) };
  }
}

/** The normal distribution at the start. */
function writtenReference({ referenceSd }: Settings, model: Problem['model']): string {
  const dim = 'dim' in model && model.dim !== undefined ? model.dim : 2;
  const covariance = `covariance: Array.from({ length: ${dim * dim} }, (_, n) => (n % ${dim + 1} === 0 ? ${referenceSd} * ${referenceSd} : 0))`;
  return `{ kind: 'model', model: ${withValues({ kind: 'gaussian', dim }, covariance)} }`;
}

function withValues(plain: object, more: string): string {
  return `${literal(plain).slice(0, -2)}, ${more} }`;
}

/** Functions of the module that draws random parameters, as they stand there, without their comments. */
function helpers(...names: string[]): string[] {
  return functionsOf(randomModels, ...names);
}
