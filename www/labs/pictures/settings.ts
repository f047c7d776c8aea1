import { choice, integer, someOf, text, type ValuesOf } from '../../lib/fields.js';
import { type PatchChoice, type PatchSide, SIDES } from '../../patches/choice.js';
import { PHOTOGRAPHS } from '../../patches/photographs.js';
import { METHOD_IDS, MODEL_IDS, methodFor } from './models.js';

/** Sides of a patch in pixels, each with the number of components that is kept of it if nobody says. */
export const USUAL_COMPONENTS: Record<PatchSide, number> = { 8: 48, 10: 64, 12: 100, 16: 144 };

/** Patches that are held out, from the lowest quarter of every picture. */
export const NUM_TEST = 2000;

/** The state of the lab that a link carries. The number of workers is left out: it changes no bit of the result. */
export const fields = {
  source: choice('photographs', ['photographs', 'own']),
  /** Which photographs; not with one's own pictures. */
  photographs: someOf(PHOTOGRAPHS.map(({ id }) => id)),
  /** The fingerprint of one's own pictures. */
  own: text(/^[0-9a-f]{16}$/, 'the fingerprint of pictures'),
  /** Pixels on a side of a patch. */
  side: choice('10', SIDES),
  /** Principal components that are kept of a patch. */
  components: integer(USUAL_COMPONENTS['10'], 4, 256),
  /** Patches to learn from. */
  patches: integer(10_000, 500, 100_000),
  model: choice('ica', MODEL_IDS),
  /** Filters, or hidden units, for each component; not with ICA, which has one. */
  factor: choice('1', ['1', '1.5', '2', '4']),
  method: choice('maximumLikelihood', METHOD_IDS),
  /** Steps of L-BFGS at most, where the objective stays the same. */
  iterations: integer(150, 1, 10_000),
  /** How often chains are moved and the flow to them is lowered, with persistent minimum probability flow. */
  refreshes: integer(40, 1, 10_000),
  /** Steps of each chain a refresh, of ten leapfrog steps each. */
  steps: integer(2, 1, 100),
  /** Times that all patches are gone through, with persistent contrastive divergence. */
  epochs: integer(20, 1, 1000),
  /** Of the places of the patches, the noise that filters start from, chains and samples. */
  seed: integer(1, 0, 2 ** 32 - 1),
  /** Which pixels the filters are shown on. */
  filters: choice('whitened', ['whitened', 'photograph']),
  /** How samples and patches are shown beside each other. */
  samples: choice('photograph', ['photograph', 'whitened']),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The settings with those left at their usual values that make no difference, so that equal jobs have equal links. */
export function withoutIdle(settings: Settings): Settings {
  const { source, method, model } = settings;
  const { iterations, refreshes, steps, epochs } = fields;
  const idle = {
    iterations: iterations.initial,
    refreshes: refreshes.initial,
    steps: steps.initial,
    epochs: epochs.initial,
  };
  return {
    ...settings,
    ...(source === 'own' ? { photographs: fields.photographs.initial } : { own: '' }),
    ...(model === 'ica' && { factor: fields.factor.initial }),
    ...idle,
    ...(method === 'persistentMpf'
      ? { refreshes: settings.refreshes, steps: settings.steps }
      : method === 'persistentContrastiveDivergence'
        ? { epochs: settings.epochs }
        : { iterations: settings.iterations }),
  };
}

/** Those alone that the result of the fit depends on. */
export function ofTheFit(settings: Settings): Settings {
  const { filters, samples } = fields;
  return {
    ...withoutIdle(settings),
    filters: filters.initial,
    samples: samples.initial,
    digest: '',
  };
}

/** Those alone that the patches depend on. */
export function ofThePatches(settings: Settings): PatchChoice {
  const { source, photographs, own, side, components, patches, seed } = settings;
  return { source, photographs, own, side, components, patches, numTest: NUM_TEST, seed };
}

/** Number of filters. */
export function numFilters({ model, factor, components }: Settings): number {
  return model === 'ica' ? components : Math.ceil(Number(factor) * components);
}

/** Whether log Z is known at all parameters: one expert for each dimension. */
export function isComplete(settings: Settings): boolean {
  return settings.model !== 'gaussianRbm' && numFilters(settings) === settings.components;
}

/** Makes settings agree with one another: what does not go together gives way to what does. */
export function agreeing(settings: Settings): Settings {
  const components = Math.min(settings.components, Number(settings.side) ** 2);
  const patches = Math.max(settings.patches, 4 * components);
  const agreed = { ...settings, components, patches };
  return { ...agreed, method: methodFor(agreed.method, agreed.model, isComplete(agreed)) };
}
