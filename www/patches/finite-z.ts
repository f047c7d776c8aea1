import { tailsAddUp } from '../lib/independent-experts.js';

/** What is said of a model that no one can judge or sample. */
export const NO_FINITE_Z =
  'these tails are so long that exp(−E) has no finite sum: the model is no distribution, and can be neither judged nor sampled; take more patches, or another method';

/** Whether a model has a Z at all. Of those that learn patches, Student's t experts alone can be without. */
export function hasFiniteZ(
  model:
    | { kind: 'productOfExperts'; expert: string; dim: number; lambda: ArrayLike<number> }
    | { kind: string; expert?: never },
): boolean {
  return model.expert !== 'studentT' || tailsAddUp(model.dim, model.lambda);
}
