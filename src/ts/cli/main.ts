#!/usr/bin/env node
/**
 * The program `unnorm`.
 */

import { command } from './command.js';
import { EXIT } from './failure.js';

// Whoever reads our output may have had enough of it, as `head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

process.exitCode = await command(process.argv.slice(2));
