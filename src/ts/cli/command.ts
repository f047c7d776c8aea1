/**
 * The command `unnorm`, as a function.
 */

import { asFailure, EXIT } from './failure.js';
import { writeOut } from './files.js';
import { helpOf, unknownVerb } from './help.js';
import { jobCommand } from './job.js';
import { reproCommand } from './repro.js';
import { VERBS } from './verbs.js';
import { version } from './version.js';

/** Runs the command and returns its exit status; errors are printed on standard error. */
export async function command(args: string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (error) {
    const { message, status } = asFailure(error);
    process.stderr.write(`unnorm: ${message}\n`);
    return status;
  }
}

async function dispatch([verb, ...args]: string[]): Promise<number> {
  if (verb === '--version') {
    await writeOut(`unnorm ${version}\n`);
  } else if (verb === undefined || verb === 'help' || verb === '--help' || verb === '-h') {
    await writeOut(helpOf(args[0]));
  } else if (verb !== 'repro' && !Object.hasOwn(VERBS, verb)) {
    throw unknownVerb(verb);
  } else if (args.includes('--help') || args.includes('-h')) {
    await writeOut(helpOf(verb));
  } else if (verb === 'repro') {
    return reproCommand(args);
  } else {
    await jobCommand(verb, args);
  }
  return EXIT.done;
}
