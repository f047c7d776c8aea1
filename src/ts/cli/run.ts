/** Runs a job to its end, or to the first Ctrl-C, which saves a checkpoint. */

import type { JobHandle, RunOptions } from '../handle.js';
import { EXIT, Failure } from './failure.js';
import { writeBytes } from './files.js';
import { ProgressBar } from './progress.js';

/** How a running job is reported. */
interface Watch {
  label: string;
  quiet: boolean;
  /** The file for a checkpoint. */
  checkpoint: string;
  /** The arguments of the process, to print how to continue. */
  args: readonly string[];
}

type Begin = (run: RunOptions<{ fraction: number }>) => JobHandle<{ fraction: number }, unknown>;

/** The signals that stop a job, and their exit statuses. */
const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;
type Signal = keyof typeof SIGNALS;

/**
 * The result of a job. If it was stopped, rejects with a {@link Failure} that says how to continue.
 */
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
    // The second signal ends the process at once, whatever is being written.
    if (stopped) process.exit(SIGNALS[signal]);
    bar?.clear();
    if (!watch.quiet) process.stderr.write('Stopping; once more ends at once.\n');
    stopped = leaveCheckpoint(handle, watch, SIGNALS[signal], () => fraction);
    // It is handled below, when the job has ended.
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

/** Saves the job's state, stops the job, and returns the final message. */
async function leaveCheckpoint(
  handle: JobHandle<unknown, unknown>,
  watch: Watch,
  status: number,
  fraction: () => number,
): Promise<Failure> {
  try {
    // Not the checkpoint of the cancellation, which may be missing or some seconds old.
    await writeBytes(watch.checkpoint, await handle.checkpoint());
  } finally {
    handle.cancel();
  }
  const percent = Math.floor(100 * fraction());
  const words = `stopped at ${percent} %, with a checkpoint. To go on, to the same bits:`;
  return new Failure(`${words}\n  ${commandOf(watch)}`, status);
}

/** The command that continues the job. */
function commandOf({ args, checkpoint }: Watch): string {
  const kept = args.filter(
    (arg, n) => !arg.startsWith('--resume=') && arg !== '--resume' && args[n - 1] !== '--resume',
  );
  return ['unnorm', ...kept, '--resume', checkpoint].map(shellWord).join(' ');
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
