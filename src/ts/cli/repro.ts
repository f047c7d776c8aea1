/** `unnorm repro`: the papers' experiments that need only this package. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as unnorm from '../node.js';
import { createEngine } from '../node.js';
import { EXIT, Failure } from './failure.js';
import { writeOut } from './files.js';
import { parseOptions, wholeNumber } from './options.js';
import type { JobVerb } from './verbs.js';

export const REPRO: Omit<JobVerb, 'verb'> = {
  arguments: ['[NAME]'],
  options: ['quick', 'output', 'seed', 'workers', 'json', 'quiet', 'help'],
  about: "rerun one of the papers' experiments and print the paper's figures beside ours",
  notes:
    'Without a name it lists them. Pictures go to the folder that -o names, unnorm-repro if none.\n' +
    'A claim of the paper that does not hold on these numbers makes the exit status 1.',
  examples: ['unnorm repro', 'unnorm repro hmc-flips --quick --json'],
};

/** One of the scripts in tests/repro/packed, which the package contains. */
interface Experiment {
  name: string;
  about: string;
}

/** The exports of tests/repro/packed/experiments.mjs. */
interface Experiments {
  shipped: Experiment[];
  runExperiment(chosen: Experiment, run: object): Promise<{ checks: { holds: boolean }[] }>;
  describeReport(chosen: Experiment, report: object): string;
}

/** Runs the command and returns its exit status. */
export async function reproCommand(args: string[]): Promise<number> {
  const { given, positionals } = parseOptions('repro', args, REPRO.options);
  const url = new URL('../../tests/repro/packed/experiments.mjs', import.meta.url);
  const { shipped, runExperiment, describeReport } = (await import(url.href)) as Experiments;
  const [name] = positionals;
  if (name === undefined) {
    await writeOut(shipped.map(({ name, about }) => `${name.padEnd(18)} ${about}\n`).join(''));
    return EXIT.done;
  }
  const chosen = shipped.find((one) => one.name === name);
  if (positionals.length > 1 || !chosen) {
    const names = shipped.map(({ name }) => name).join(', ');
    throw new Failure(
      `${positionals.join(' ')}: is none that comes with the package; give one of ${names}`,
    );
  }
  const seed = wholeNumber(given, 'seed', 0, Number.MAX_SAFE_INTEGER) ?? 1;
  const engine = await createEngine({ numWorkers: wholeNumber(given, 'workers', 1, 64) });
  try {
    const report = await runExperiment(chosen, {
      unnorm,
      engine,
      seed,
      quick: given.has('quick'),
      out: pathToFileURL(`${resolve(given.output ?? 'unnorm-repro')}/`),
      log: (line: string) => given.has('quiet') || console.error(line),
    });
    await writeOut(
      given.has('json') ? `${JSON.stringify(report)}\n` : describeReport(chosen, report),
    );
    return report.checks.every(({ holds }) => holds) ? EXIT.done : EXIT.failed;
  } finally {
    await engine.close();
  }
}
