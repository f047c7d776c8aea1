/**
 * Runs a job to its end, or to the first Ctrl-C, which leaves a checkpoint.
 */

import type { JobHandle, RunOptions } from '../handle.js';
import { EXIT, Failure } from './failure.js';
import { writeBytes } from './files.js';
import { ProgressBar } from './progress.js';

/** What is told while a job runs. */
interface Watch {
  label: string;
  quiet: boolean;
  /** Where a checkpoint goes. */
  checkpoint: string;
  /** The arguments of the process, to say how to go on. */
  args: readonly string[];
}

type Begin = (run: RunOptions<{ fraction: number }>) => JobHandle<{ fraction: number }, unknown>;

/** The signals that stop a job, and the exit statuses that tell of them. */
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;
type Signal = keyof typeof SIGNALS;

/** The result of a job. Rejects with a {@link Failure} that says how to go on, if it was stopped. */
export async function runJob(begin: Begin, resumeFrom: Uint8Array | undefined, watch: Watch) {
  const bar = watch.quiet ? undefined : new ProgressBar(watch.label, process.stderr);
  let fraction = 0;
  const handle = begin({
    resumeFrom,
    progressInterval: 100,
    onProgress: (progress) => {
      fraction = progress.fraction;
      bar?.update(fraction);
    },
  });
  let stopped: Promise<Failure> | undefined;
  const stop = (signal: Signal) => {
    // The second one ends at once, whatever is being written.
    if (stopped) process.exit(SIGNALS[signal]);
    bar?.clear();
    if (!watch.quiet) process.stderr.write('Stopping; once more ends at once.\n');
    stopped = leaveCheckpoint(handle, watch, SIGNALS[signal], () => fraction);
    // Looked at below, when the job has ended.
    stopped.catch(() => undefined);
  };
  for (const signal of Object.keys(SIGNALS) as Signal[]) process.on(signal, stop);
  try {
    return await handle;
  } catch (error) {
    if (stopped) throw await stopped;
    throw error;
  } finally {
    for (const signal of Object.keys(SIGNALS) as Signal[]) process.off(signal, stop);
    bar?.clear();
  }
}

/** Saves where the job is, stops it, and gives the words of its end. */
async function leaveCheckpoint(
  handle: JobHandle<unknown, unknown>,
  watch: Watch,
  status: number,
  fraction: () => number,
): Promise<Failure> {
  try {
    // Not that of the cancellation, which may be some seconds old, or none.
    await writeBytes(watch.checkpoint, await handle.checkpoint());
  } finally {
    handle.cancel();
  }
  const percent = Math.floor(100 * fraction());
  const words = `stopped at ${percent} %, with a checkpoint. To go on, to the same bits:`;
  return new Failure(`${words}\n  ${commandOf(watch)}`, status);
}

/** The command that goes on. */
function commandOf({ args, checkpoint }: Watch): string {
  const kept = args.filter(
    (arg, n) => !arg.startsWith('--resume=') && arg !== '--resume' && args[n - 1] !== '--resume',
  );
  return ['unnorm', ...kept, '--resume', checkpoint].map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
