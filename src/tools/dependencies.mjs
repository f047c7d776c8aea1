/**
 * Checks that no dependency takes transcendental functions from the platform, whose last bits
 * differ between machines.
 *
 * rand_distr and parts of nalgebra compute through num-traits. Its `std` feature sends exp and ln
 * to the C library, and one crate anywhere in the tree, even a test's, turns it on for all: then
 * a few normal variates in ten million differ between a native build and wasm.
 */
import { Failure, main, output, run, say } from './run.mjs';

export function checkDependencies() {
  const args = ['tree', '--locked', '-p', 'unnorm', '--target', 'all', '--features', 'types'];
  const tree = output('cargo', [...args, '-e', 'normal,dev', '--prefix', 'none'], { loud: true });
  const features = output('cargo', [...args, '-e', 'normal,dev,features', '--prefix', 'none'], {
    loud: true,
  });
  if (tree === null || features === null) throw new Failure('cargo tree failed (see above).');
  if (!/^rand_distr /m.test(tree)) return;
  if (/^num-traits feature "std"/m.test(features)) {
    throw new Failure(
      'rand_distr computes with the C library because a crate turns on num-traits/std: run `cargo tree -p unnorm -e normal,dev,features -i num-traits` to see which.',
    );
  }
}

/** Licences, sources and doubles by deny.toml, where cargo-deny is installed. */
export function checkLicences() {
  if (output('cargo', ['deny', '--version']) === null) {
    say('cargo-deny is not installed: licences and sources of the crates are not checked.');
    return;
  }
  // Its advisories need a database that it would fetch.
  run('cargo', ['deny', '--log-level', 'error', 'check', 'bans', 'licenses', 'sources'], {
    otherwise: 'A crate has a licence or a source that deny.toml does not allow (see above).',
  });
}

await main(import.meta.url, () => {
  checkDependencies();
  checkLicences();
});
