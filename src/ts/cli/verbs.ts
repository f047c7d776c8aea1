/** The verbs that run jobs: their arguments, and the specs made from them. */

import { type Fields, isObject } from '../checks.js';
import type { Engine } from '../engine.js';
import type { ReadData } from '../types.js';
import type { Verb } from '../verbs.js';
import { Failure } from './failure.js';
import { STANDARD } from './files.js';
import { dimOf, isBinary, isKind, KINDS, partsOf, usualTransition } from './kinds.js';
import { readModel } from './models.js';
import { type Given, type OptionName, wholeNumber } from './options.js';
import { asNumbers, type NumberRows, readBits, readNumbers } from './rows.js';

const COMMON: OptionName[] = [
  'output',
  'format',
  'seed',
  'set',
  'spec',
  'json',
  'quiet',
  'workers',
  'resume',
  'checkpoint',
  'help',
];
const ROWS: OptionName[] = ['from', 'dim', 'array'];

/** A verb that runs a job. */
export interface JobVerb {
  /** The engine's verb. */
  verb: Exclude<Verb, 'patches'>;
  /** Names of the arguments, as the help shows them. */
  arguments: string[];
  options: OptionName[];
  about: string;
  notes: string;
  examples: string[];
  /** Whether it does not use a seed. */
  seedless?: boolean;
}

export const VERBS: Record<string, JobVerb> = {
  fit: {
    verb: 'fit',
    arguments: ['MODEL', 'DATA'],
    options: [...COMMON, ...ROWS],
    about: 'fit a model to data',
    notes:
      'MODEL is a kind of model, such as ising or rbm, or a file with a model to start from. Its\n' +
      'number of sites or dimensions is that of columns of DATA. DATA are rows: of 0 and 1, or of\n' +
      '−1 and 1, for binary models, and of numbers for models on the reals.',
    examples: [
      'unnorm fit ising data.csv -o model.json',
      'unnorm fit rbm data.npy -o rbm.npz --set model.numHidden=20 --set objective.kind=mpf',
    ],
  },
  sample: {
    verb: 'sample',
    arguments: ['MODEL'],
    options: [...COMMON, 'draws', 'start', ...ROWS],
    about: 'draw from a model',
    notes:
      'Draws are rows, draw by draw and within each chain by chain. There are as many of 4, 2 or 1\n' +
      'chains as divide N, unless numChains is set; numWarmup is 1000; the transition is gibbs,\n' +
      'blockGibbs where there are hidden units, nuts for models on the reals.',
    examples: [
      'unnorm sample model.json -n 1000 -o draws.npy',
      'unnorm sample banana -n 4000 -o draws.arviz.json --seed 1',
    ],
  },
  logz: {
    verb: 'logZ',
    arguments: ['MODEL'],
    options: [...COMMON, 'data', ...ROWS],
    about: 'estimate log Z, with its error, by annealed importance sampling',
    notes: 'numChains is 100 and numDistributions 1000 unless they are set.',
    examples: [
      'unnorm logz model.json --data test.csv',
      'unnorm logz model.json --set reverse.start.kind=exact --set numDistributions=10000',
    ],
  },
  exact: {
    verb: 'exact',
    arguments: ['MODEL'],
    options: [...COMMON.filter((name) => name !== 'seed'), 'data', ...ROWS],
    about: 'compute log Z exactly, where that can be done',
    notes: 'With data, their mean log likelihood too.',
    examples: ['unnorm exact model.json --data data.csv'],
    seedless: true,
  },
  chain: {
    verb: 'chain',
    arguments: ['MODEL'],
    options: COMMON.filter((name) => name !== 'seed'),
    about: 'compute gap, mixing time and conductance of the chain of a small binary model',
    notes:
      'The transition is gibbs, blockGibbs where there are hidden units, unless transition.kind is set.\n' +
      'A chain given otherwise, such as by its transitions, comes with --spec, without MODEL.',
    examples: [
      'unnorm chain model.json --set transition.kind=swendsenWang',
      'unnorm chain --spec chain.json --json',
    ],
    seedless: true,
  },
  mode: {
    verb: 'mode',
    arguments: ['MODEL'],
    options: COMMON.filter((name) => name !== 'seed'),
    about: 'find the most probable state of a binary model, exactly',
    notes:
      'An Ising model without a positive coupling, or one of up to 20 sites. The state is a row.',
    examples: ['unnorm mode model.json -o state.csv'],
    seedless: true,
  },
  energies: {
    verb: 'energies',
    arguments: ['MODEL', 'STATES'],
    options: [...COMMON.filter((name) => name !== 'seed'), ...ROWS],
    about: 'compute energies of given states, in nats',
    notes:
      'Gradients too with --set gradients=true, in json and npz; so are the parameters of states of a\n' +
      'posterior with --set parameters=true.',
    examples: ['unnorm energies model.json states.npy -o energies.csv'],
    seedless: true,
  },
  evidence: {
    verb: 'evidence',
    arguments: ['MODEL', 'DATA'],
    options: [...COMMON, ...ROWS],
    about: 'estimate the evidence ln p(DATA) of a table under a model with hidden variables',
    notes:
      'MODEL is clustering, lowRank, clusteredLowRank or binaryAttributes. The estimator is annealing,\n' +
      'with 25 trials, unless estimator.kind is set.',
    examples: [
      'unnorm evidence clustering table.csv --set model.numClusters=3',
      'unnorm evidence lowRank table.csv --set model.numFactors=2 --set numTrials=100',
    ],
  },
  network: {
    verb: 'network',
    arguments: ['DATA'],
    options: [...COMMON, ...ROWS],
    about: 'fit a sparse network to rows of 0 and 1, with an interval for every pair',
    notes:
      'The penalty is chosen by extended BIC unless choice.kind is crossValidation or stability. CSV and\n' +
      'npy have the matrix J; json and npz all of the result.',
    examples: [
      'unnorm network answers.csv -o network.json',
      'unnorm network spikes.npy --set choice.kind=stability --set bootstrap=200 -o network.npz',
    ],
  },
  kernels: {
    verb: 'kernels',
    arguments: ['DATA'],
    options: [...COMMON, ...ROWS],
    about: 'find the kernel of a Gaussian process for a series, its components and predictions',
    notes:
      'The last column of DATA has the values, the others the inputs; with one column these are 0, 1, 2, ….\n' +
      'Inputs at which to predict come by --set predict=[…]. Results are json or npz.',
    examples: [
      'unnorm kernels series.csv -o kernels.json',
      'unnorm kernels monthly.csv --set maxDepth=3 --set predict=[144,145,146] --json',
    ],
  },
  structure: {
    verb: 'structure',
    arguments: ['DATA'],
    options: [...COMMON, ...ROWS],
    about:
      'find the structure of a table: clusters, factors, attributes, walks and what they make up',
    notes:
      'Columns are standardized, each by itself; --set standardize=whole takes the table as one.\n' +
      'Results are json or npz.',
    examples: [
      'unnorm structure table.csv -o structure.json',
      'unnorm structure table.npy --set standardize=whole --set maxDepth=2 --json',
    ],
  },
  memorize: {
    verb: 'memorize',
    arguments: ['PATTERNS'],
    options: [...COMMON, ...ROWS],
    about: 'store patterns in an Ising model, as minima of its energy',
    notes: 'The rule is minimum probability flow unless rule.kind is set.',
    examples: ['unnorm memorize patterns.csv -o memory.json'],
  },
  recall: {
    verb: 'recall',
    arguments: ['MODEL', 'CUES'],
    options: [...COMMON, ...ROWS],
    about: 'recall patterns from spoiled ones',
    notes: 'The states that recall ends in are rows, in the order of CUES.',
    examples: ['unnorm recall memory.json spoiled.npy -o recalled.npy'],
  },
  spline: {
    verb: 'spline',
    arguments: ['MODEL'],
    options: [...COMMON, 'data', ...ROWS],
    about: 'find a moment averages path for logz to anneal along',
    notes: 'Give its path to logz by a file that has just that, --set path=@path.json.',
    examples: ['unnorm spline rbm.json -o spline.json'],
  },
};

/** The spec of a job, and the files its parts came from. */
export interface Request {
  spec: Fields;
  /** The files, by the fields they fill. */
  inputs: Record<string, unknown>;
}

/** Files, by the names of their options or arguments. */
export function filesOf(name: string, positionals: string[], given: Given): Record<string, string> {
  const wanted = (VERBS[name] as JobVerb).arguments;
  const isSpecified = given.spec !== undefined && positionals.length < wanted.length;
  if (positionals.length > wanted.length || (positionals.length < wanted.length && !isSpecified)) {
    const words = `${name} takes ${wanted.join(' and ')}, got ${positionals.length} arguments`;
    throw new Failure(`${words}; see unnorm help ${name}`);
  }
  const files: Record<string, string> = {};
  for (const [at, path] of positionals.entries()) files[wanted[at] as string] = path;
  if (given.data !== undefined) files['--data'] = given.data;
  if (given.start !== undefined) files['--start'] = given.start;
  const standard = Object.keys(files).filter((name) => files[name] === STANDARD);
  if (standard.length > 1) {
    throw new Failure(`${standard.join(' and ')}: only one can be standard input; name a file`);
  }
  return files;
}

/** Reads the model of a request, which comes before everything else. */
export async function takeModel(name: string, spec: Fields, files: Record<string, string>) {
  const inputs: Record<string, unknown> = {};
  const argument = name === 'memorize' && !spec['model'] ? 'ising' : files['MODEL'];
  const given = spec['model'];
  const isSame = isObject(given) && given['kind'] === argument;
  // A kind adds nothing to a spec that has a model of this kind.
  if (argument !== undefined && !isSame) {
    spec['model'] = await readModel(argument);
    if (!isKind(argument)) inputs['model'] = argument;
  }
  return inputs;
}

/** Reads the rows of a request, and fills in what follows from them and the defaults. */
export async function complete(
  name: string,
  { spec, inputs }: Request,
  files: Record<string, string>,
  given: Given,
  engine: Engine,
): Promise<void> {
  const { verb } = VERBS[name] as JobVerb;
  const model = (spec['model'] ?? {}) as Fields;
  const binary = verb === 'network' || isBinary(model);
  const bits = async (file: string, label: string) => {
    const data = await readBits(file, given, engine);
    const { dim, numRows, entries } = data;
    inputs[label] = { file, numRows, dim, entries };
    fillDim(model, dim);
    return { kind: 'bits', ...data };
  };
  const numbers = async (file: string, label: string, what: 'data' | 'states') => {
    const rows = binary
      ? asNumbers((await bits(file, label)) as unknown as ReadData)
      : await readNumbers(file, given);
    const { dim, values } = rows;
    inputs[label] ??= { file, numRows: values.length / dim, dim };
    if (what === 'data' && (verb === 'fit' || verb === 'evidence')) fillDim(model, dim);
    checkDim(model, rows, file, what);
    return values;
  };
  const data = files['DATA'] ?? files['--data'];
  if (data !== undefined && verb === 'kernels') {
    const { dim, values } = await readNumbers(data, given);
    const numRows = values.length / dim;
    inputs['data'] = { file: data, numRows, dim };
    fillSeries(spec, values, dim);
  } else if (data !== undefined && verb === 'structure') {
    const { dim, values } = await readNumbers(data, given);
    inputs['data'] = { file: data, numRows: values.length / dim, dim };
    spec['states'] = values;
    spec['dim'] ??= dim;
  } else if (data !== undefined && binary) spec['data'] = await bits(data, 'data');
  else if (data !== undefined) spec['states'] = await numbers(data, 'states', 'data');
  if (files['STATES'] !== undefined) {
    spec['states'] = await numbers(files['STATES'], 'states', 'states');
  }
  if (files['PATTERNS'] !== undefined) spec['patterns'] = await bits(files['PATTERNS'], 'patterns');
  if (files['CUES'] !== undefined) spec['cues'] = await bits(files['CUES'], 'cues');
  if (files['--start'] !== undefined) {
    const file = files['--start'];
    spec['start'] = binary
      ? { kind: 'data', data: await bits(file, 'start') }
      : { kind: 'states', states: await numbers(file, 'start', 'states') };
  }
  if (verb === 'sample') usualSample(spec, model, given);
  if (verb === 'chain') fillTransition(spec, model);
  if (verb === 'logZ') {
    spec['numChains'] ??= 100;
    spec['numDistributions'] ??= 1000;
  }
}

/** Splits rows into inputs and values, which are the last column. */
function fillSeries(spec: Fields, rows: Float64Array, dim: number): void {
  const isInput = (_: number, at: number) => at % dim < dim - 1;
  spec['values'] = rows.filter((value, at) => !isInput(value, at));
  spec['inputs'] = dim === 1 ? rows.map((_, at) => at) : rows.filter(isInput);
  spec['numInputs'] ??= Math.max(dim - 1, 1);
}

function fillTransition(spec: Fields, model: Fields): void {
  const kind = usualTransition(model);
  if (kind !== undefined) spec['transition'] ??= { kind };
}

function usualSample(spec: Fields, model: Fields, given: Given): void {
  fillTransition(spec, model);
  spec['numWarmup'] ??= 1000;
  const wanted = wholeNumber(given, 'draws', 1, 2 ** 31);
  if (wanted === undefined && spec['numDraws'] !== undefined) {
    spec['numChains'] ??= 4;
    return;
  }
  const numDraws = wanted ?? 1000;
  spec['numChains'] ??= [4, 2, 1].find((numChains) => numDraws % numChains === 0);
  const perChain = numDraws / (spec['numChains'] as number);
  if (!Number.isInteger(perChain)) {
    const words = `is no multiple of the ${spec['numChains']} chains`;
    throw new Failure(`-n ${numDraws}: ${words}; give one, or set numChains`);
  }
  spec['numDraws'] = perChain;
}

/** Sets the model's number of sites or dimensions to the number of columns, if it has none. */
function fillDim(model: Fields, dim: number): void {
  const { kind } = model;
  const field = isKind(kind) ? KINDS[kind].dimField : undefined;
  if (field !== undefined) model[field] ??= dim;
  for (const part of partsOf(model)) fillDim(part, dim);
}

/**
 * Checks the number of columns, as rows are passed on as one block, in which a wrong number would
 * go unnoticed.
 */
function checkDim(model: Fields, { dim }: NumberRows, file: string, what: 'data' | 'states'): void {
  const expected = dimOf(model, what);
  if (expected === undefined && model['kind'] === 'formula') {
    throw new Failure('model.variables: name the columns, --set model.variables=\'["x","y"]\'');
  }
  if (expected === undefined || expected === dim) return;
  throw new Failure(`${file}: has ${dim} columns where the model has ${expected} dimensions`);
}
