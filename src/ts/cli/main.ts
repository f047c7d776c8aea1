#!/usr/bin/env node
/**
 * The program `unnorm`.
 */

import { command } from './command.js';
import { EXIT } from './failure.js';

// The reader of our output may close it early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.done);
  throw error;
});

process.exitCode = await command(process.argv.slice(2));
