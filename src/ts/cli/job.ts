/** Runs the job of a verb, from arguments to files. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Fields, isObject } from '../checks.js';
import { customModules } from '../custom.js';
import { UnnormError } from '../errors.js';
import { readJson } from '../formats/json.js';
import type { JobHandle, RunOptions } from '../handle.js';
import { createEngine } from '../node.js';
import { Failure, naming } from './failure.js';
import { checkWritable, readBytes, STANDARD, writeBytes, writeOut } from './files.js';
import { type Given, parseOptions, wholeNumber } from './options.js';
import { checkFormat, encode, type Format, outputFormat, type Report } from './result-file.js';
import { runJob } from './run.js';
import { applySets } from './set.js';
import { summaryOf, withoutArrays } from './summary.js';
import { complete, filesOf, type JobVerb, type Request, takeModel, VERBS } from './verbs.js';
import { version } from './version.js';

const MAX_SEED = Number.MAX_SAFE_INTEGER;
/** The verbs whose result is a few numbers, all of which the summary shows. */
const NUMBERS = ['logz', 'exact', 'evidence', 'chain'];
/** The fields of a spec that are data, which reports omit. */
const DATA_FIELDS = ['data', 'states', 'patterns', 'cues', 'inputs', 'values'];

type Verbs = Record<string, (spec: Fields, run: RunOptions<never>) => JobHandle<never, Fields>>;

/** Runs the command of a verb. `args` are all arguments after the verb. */
export async function jobCommand(name: string, args: string[]): Promise<void> {
  const { verb, options } = VERBS[name] as JobVerb;
  const { given, positionals } = parseOptions(name, args, options);
  const files = filesOf(name, positionals, given);
  if (given.has('json') && given.output === STANDARD) {
    throw new Failure('--json: prints to standard output, and so does -o -; leave one out');
  }
  const numWorkers = wholeNumber(given, 'workers', 1, 64);
  const seed = wholeNumber(given, 'seed', 0, MAX_SEED);
  const spec = await readSpec(given);
  const inputs = await takeModel(name, spec, files);
  await applySets(spec, given.set);
  checkCustom(spec, given);
  if (seed !== undefined) spec['seed'] = seed;
  const output = await prepareOutput(name, spec, given);
  const checkpoint = given.checkpoint ?? checkpointFor(name, given);
  if (given.checkpoint !== undefined) await checkWritable(given.checkpoint);
  const resumeFrom = given.resume === undefined ? undefined : await readBytes(given.resume);

  const engine = await createEngine({ numWorkers });
  try {
    await complete(name, { spec, inputs }, files, given, engine);
    const begin = (run: RunOptions<never>) =>
      (engine as unknown as Verbs)[verb]?.(spec, run) as JobHandle<never, Fields>;
    const watch = {
      label: name,
      quiet: given.has('quiet'),
      checkpoint,
      args: [name, ...args],
    };
    const result = await renaming(files, given, () => runJob(begin as never, resumeFrom, watch));
    const report = reportOf(name, { spec, inputs }, result as Fields);
    if (output) await writeBytes(output.file, encode(output.format, report));
    await tell(report, output, given);
  } finally {
    await engine.close();
  }
}

/** A spec from a file, which has the spec alone or in a result. */
async function readSpec({ spec }: Given): Promise<Fields> {
  if (spec === undefined) return {};
  const bytes = await readBytes(spec);
  const json = await naming(spec, ['bytes'], () => readJson(bytes));
  const inner = isObject(json) && 'unnorm' in json && isObject(json['spec']) ? json['spec'] : json;
  if (isObject(inner)) return inner;
  throw new Failure(`${spec}: must be a JSON object of the fields of a spec`);
}

/** A module is run only if the command line names it. */
function checkCustom(spec: Fields, given: Given): void {
  const { model } = spec;
  const [inner] = customModules(spec).filter(({ field }) => field !== 'model.url');
  if (inner) {
    throw new Failure(
      `${inner.field}: modules of combined models run from JavaScript and in pages alone`,
    );
  }
  if (!isObject(model) || model['kind'] !== 'custom') return;
  if (!given.set.some((set) => set.startsWith('model.url='))) {
    throw new Failure('model.url: name the module of a custom model with --set model.url=MODULE');
  }
  const path = `${model['url']}`;
  if (!/^[a-z][a-z0-9+.-]+:/i.test(path)) model['url'] = pathToFileURL(resolve(path)).href;
}

async function prepareOutput(name: string, spec: Fields, given: Given) {
  const { output } = given;
  if (output === undefined) {
    if (given.format === undefined) return undefined;
    throw new Failure(`--format ${given.format}: is of an output; give -o FILE, or -o - too`);
  }
  const hasRows = ['sample', 'recall', 'energies', 'mode'].includes(name);
  const format = outputFormat(output, given.format, hasRows);
  checkFormat(format, name, isObject(spec['model']) ? spec['model'] : {});
  if (output !== STANDARD) await checkWritable(output);
  return { file: output, format };
}

function checkpointFor(name: string, { output, resume }: Given): string {
  if (resume !== undefined) return resume;
  return output === undefined || output === STANDARD
    ? `unnorm-${name}.checkpoint`
    : `${output}.checkpoint`;
}

/** Replaces the names of fields by those of their files in the engine's errors. */
async function renaming<T>(files: Record<string, string>, given: Given, run: () => Promise<T>) {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UnnormError && given.resume !== undefined) {
      if (['bad-checkpoint', 'checkpoint-mismatch'].includes(error.code)) {
        throw new Failure(`${given.resume}: ${error.message.replace(/^checkpoint: /, '')}`);
      }
    }
    const rows = files['STATES'] ?? files['DATA'] ?? files['--data'] ?? files['--start'];
    if (rows === undefined) throw error;
    return await naming(rows, ['data', 'start.states', 'states'], () => {
      throw error;
    });
  }
}

function reportOf(name: string, { spec, inputs }: Request, result: Fields): Report {
  const { model, start, ...rest } = spec;
  const kept = Object.fromEntries(
    Object.entries(rest).filter(([key]) => !DATA_FIELDS.includes(key)),
  );
  const ownStart = 'start' in inputs ? undefined : start;
  const { seed } = result;
  return {
    unnorm: version,
    verb: name,
    spec: {
      ...(inputs['model'] === undefined && { model }),
      ...kept,
      ...(ownStart !== undefined && { start: ownStart }),
      ...(seed !== undefined && { seed }),
    },
    inputs,
    ...result,
  };
}

async function tell(
  report: Report,
  output: { file: string; format: Format } | undefined,
  given: Given,
): Promise<void> {
  const quiet = given.has('quiet');
  const { warnings } = report;
  if (!quiet && Array.isArray(warnings)) {
    for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  }
  if (given.has('json')) {
    const shown = output ? { ...(withoutArrays(report) as Fields), output } : report;
    await writeOut(encode('json', shown as Report));
  } else if (output?.file !== STANDARD) {
    await writeOut(summaryOf(report, output));
    if (!output && !quiet && !NUMBERS.includes(report.verb)) {
      process.stderr.write('The result is not kept: give -o FILE, or --json to print all of it.\n');
    }
  } else if (!quiet) {
    process.stderr.write(summaryOf(report, undefined));
  }
}
