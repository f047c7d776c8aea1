/** Native builds for processors with AVX2: vectors of 256 bits in place of 128, and the same bits of results. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './run.mjs';

/** Whether this processor says that it has AVX2; where there is no Linux to ask, it does not. */
export function hasAvx2() {
  try {
    return /^flags\b.*\bavx2\b/m.test(readFileSync('/proc/cpuinfo', 'utf8'));
  } catch {
    return false;
  }
}

/** How cargo builds for it, beside what it has built for any processor. */
export const avx2 = {
  env: { CARGO_ENCODED_RUSTFLAGS: '-Ctarget-cpu=x86-64-v3' },
  args: ['--target-dir', join(root, 'target/avx2')],
};
