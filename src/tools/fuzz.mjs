/**
 * Searches for inputs that make the readers and the making of jobs panic, hang or ask for too much
 * memory, by the targets in tests/fuzz:
 *
 *     npm run fuzz [-- --seconds N] [-- --only formula,npy,csv,spec,checkpoint]
 *
 * It needs `cargo install cargo-fuzz --locked`. What is found is in tests/fuzz/artifacts; inputs that
 * reach new code are in out/fuzz, and those worth keeping go to tests/fuzz/corpus.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, main, output, root, run, say } from './run.mjs';

const targets = ['formula', 'npy', 'csv', 'spec', 'checkpoint'];

await main(import.meta.url, (args) => {
  const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);
  const seconds = Number(option('--seconds') ?? 60);
  const chosen = option('--only')?.split(',') ?? targets;
  if (!(seconds > 0) || chosen.some((name) => !targets.includes(name))) {
    throw new Failure(`Use: npm run fuzz [-- --seconds N] [-- --only ${targets.join(',')}].`);
  }
  if (output('cargo', ['fuzz', '--version']) === null) {
    throw new Failure('cargo-fuzz is missing: run `cargo install cargo-fuzz --locked`.');
  }
  for (const name of chosen) {
    say(`Fuzzing ${name} for ${seconds} s.`);
    const found = join(root, 'out/fuzz/corpus', name);
    mkdirSync(found, { recursive: true });
    const dictionary = join(root, 'tests/fuzz', `${name}.dict`);
    run(
      'cargo',
      [
        // The crate has no unsafe code for a sanitizer to watch. libFuzzer's flags need RUSTC_BOOTSTRAP.
        ...['fuzz', 'run', '--fuzz-dir', 'tests/fuzz', '--sanitizer', 'none', name],
        ...[found, join(root, 'tests/fuzz/corpus', name), '--'],
        ...[`-max_total_time=${seconds}`, '-timeout=10', '-rss_limit_mb=2048', '-max_len=8192'],
        ...(existsSync(dictionary) ? [`-dict=${dictionary}`] : []),
      ],
      {
        env: { RUSTC_BOOTSTRAP: '1' },
        otherwise: `An input of ${name} breaks a promise (see above); it is in tests/fuzz/artifacts.`,
      },
    );
  }
});
