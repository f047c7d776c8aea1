#!/usr/bin/env node
/**
 * The command `unnorm`.
 */

import { asFailure, EXIT } from './failure.js';
import { writeOut } from './files.js';
import { helpOf, unknownVerb } from './help.js';
import { jobCommand } from './job.js';
import { reproCommand } from './repro.js';
import { VERBS } from './verbs.js';
import { version } from './version.js';

async function command([verb, ...args]: string[]): Promise<number> {
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

// Whoever reads our output may have had enough of it, as `head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

try {
  process.exitCode = await command(process.argv.slice(2));
} catch (error) {
  const { message, status } = asFailure(error);
  process.stderr.write(`unnorm: ${message}\n`);
  process.exitCode = status;
}
