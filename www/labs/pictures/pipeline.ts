import { niceLimit } from '../../lib/colours.js';
import { keptAnswer } from '../../lib/first-answers.js';
import { asColours, type Levels, valuesOf } from '../../lib/levels.js';
import {
  asPhotographs,
  asWhitened,
  centred,
  greyScaleOf,
  keptShare,
  type Prepared,
  rowsOf,
} from '../../patches/patches.js';
import firstAnswers from './first-answers.json';

/** Patches that are shown. */
export const NUM_SHOWN = 30;

/** Some patches on their way from the pictures to what the model sees, and what all of them vary by. */
export interface PipelinePictures {
  /** As photographed, 0 to 1; less the mean of all; and whitened: from −limit to +limit. */
  grey: Float64Array;
  less: Float64Array;
  lessLimit: number;
  white: Float64Array;
  whiteLimit: number;
  /** Of each component that is kept, and their part of all variance. */
  variances: Float64Array;
  kept: number | undefined;
}

export function pipelineOf(prepared: Prepared): PipelinePictures {
  const { transform, states, variances } = prepared.result;
  const some = rowsOf(states, variances.length, NUM_SHOWN);
  const less = centred(transform, some);
  const white = asWhitened(transform, some);
  return {
    grey: asPhotographs(transform, some, greyScaleOf(prepared)),
    less,
    lessLimit: limitOf(less),
    white,
    whiteLimit: limitOf(white),
    variances,
    kept: keptShare(prepared.result),
  };
}

/** One in fifty pixels goes beyond the scale. */
function limitOf(values: Float64Array): number {
  const sizes = values.map(Math.abs).sort();
  return niceLimit(sizes[Math.floor(0.98 * (sizes.length - 1))] ?? 1);
}

/** The same, with pictures in levels. */
interface KeptPipeline {
  grey: Levels;
  less: Levels;
  white: Levels;
  variances: Float64Array;
  kept: number | undefined;
}

export function inLevels({ grey, less, white, ...rest }: PipelinePictures): KeptPipeline {
  const { lessLimit, whiteLimit, variances, kept } = rest;
  return {
    grey: asColours(grey, 0, 1),
    less: asColours(less, -lessLimit, lessLimit),
    white: asColours(white, -whiteLimit, whiteLimit),
    variances,
    kept,
  };
}

/** Those of the patches that are there at first. */
export function keptPipeline(patches: string): PipelinePictures | undefined {
  const found = keptAnswer<KeptPipeline>(firstAnswers, patches);
  if (!found) return undefined;
  const { grey, less, white, variances, kept } = found;
  return {
    grey: valuesOf(grey),
    less: valuesOf(less),
    lessLimit: less.high,
    white: valuesOf(white),
    whiteLimit: white.high,
    variances,
    kept,
  };
}
