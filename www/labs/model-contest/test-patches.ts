import { niceLimit } from '../../lib/colours.js';
import { keptAnswer } from '../../lib/first-answers.js';
import { asColours, type Levels, valuesOf } from '../../lib/levels.js';
import { asWhitened, type Prepared, rowsOf } from '../../patches/patches.js';
import firstAnswers from './first-answers.json';

/** Test patches that are shown. */
export const NUM_SHOWN = 24;

/** Some of the test patches, whitened, as their picture has them. */
export interface TestPatches {
  whitened: Float64Array;
  /** The colours span −limit … +limit. */
  limit: number;
  /** The mean log likelihood of all of them under the standard normal distribution, in nats a patch. */
  normal: number;
}

export function testPatchesOf({ result, gaussian }: Prepared): TestPatches {
  const { transform, testStates } = result;
  const whitened = asWhitened(transform, rowsOf(testStates, transform.scales.length, NUM_SHOWN));
  // One in fifty pixels goes beyond the scale, which samples share.
  const sizes = whitened.map(Math.abs).sort();
  const limit = niceLimit(sizes[Math.floor(0.98 * (sizes.length - 1))] ?? 1);
  return { whitened, limit, normal: gaussian.test };
}

/** The same, with the picture in levels. */
interface KeptPatches {
  levels: Levels;
  normal: number;
}

export function inLevels({ whitened, limit, normal }: TestPatches): KeptPatches {
  return { levels: asColours(whitened, -limit, limit), normal };
}

/** Those of the patches that are there at first. */
export function keptTestPatches(patches: string): TestPatches | undefined {
  const kept = keptAnswer<KeptPatches>(firstAnswers, patches);
  return kept && { whitened: valuesOf(kept.levels), limit: kept.levels.high, normal: kept.normal };
}
