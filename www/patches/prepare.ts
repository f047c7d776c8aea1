import type { Engine } from 'unnorm';
import { keyOfPatches, type PatchChoice } from './choice.js';
import type { GreyPicture } from './decode.js';
import { exactLogLikelihood } from './exact-likelihood.js';
import { type Prepared, patchesSpec } from './patches.js';

/** Has the engine cut and whiten patches. */
export async function prepare(
  engine: Engine,
  choice: PatchChoice,
  pictures: readonly GreyPicture[],
  signal: AbortSignal,
): Promise<Prepared> {
  const result = await engine.patches(patchesSpec(choice, pictures), { signal });
  const dim = result.transform.scales.length;
  if (dim < choice.components) {
    throw new Error(
      `The patches of these pictures vary in ${dim} directions only: keep so many components, or take other pictures.`,
    );
  }
  const model = { kind: 'gaussian', dim } as const;
  const training = await exactLogLikelihood(model, result.states, engine, signal);
  const test = await exactLogLikelihood(model, result.testStates, engine, signal);
  return { key: keyOfPatches(choice), pictures, result, gaussian: { training, test } };
}
