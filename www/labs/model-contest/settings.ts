import { choice, integer, someOf, text, type ValuesOf } from '../../lib/fields.js';
import { type PatchChoice, type PatchSide, SIDES } from '../../patches/choice.js';
import { PHOTOGRAPHS } from '../../patches/photographs.js';
import { CONTESTANT_IDS } from './contestants.js';

/** Components that are kept of a patch of a size if nobody says. */
export const USUAL_COMPONENTS: Record<PatchSide, number> = { 8: 12, 10: 20, 12: 28, 16: 36 };

const EFFORTS = ['brief', 'usual', 'long'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The state of the lab that a link carries. The number of workers is left out: it changes no bit of the result. */
export const fields = {
  source: choice('photographs', ['photographs', 'own']),
  /** Which photographs; not with one's own pictures. */
  photographs: someOf(PHOTOGRAPHS.map(({ id }) => id)),
  /** The fingerprint of one's own pictures. */
  own: text(/^[0-9a-f]{16}$/, 'the fingerprint of pictures'),
  side: choice('8', SIDES),
  components: integer(USUAL_COMPONENTS['8'], 4, 100),
  /** Patches to learn from. */
  patches: integer(1500, 100, 50_000),
  /** Patches held out, which all judge. */
  test: integer(60, 10, 1000),
  /** The bilinear model takes longer to learn, and to anneal to, than the usual sizes give it. */
  contestants: someOf(
    CONTESTANT_IDS,
    CONTESTANT_IDS.filter((id) => id !== 'bilinear'),
  ),
  /** Experts and factors a dimension, of models that have more than dimensions. */
  factor: choice('2', ['1.5', '2', '4']),
  training: choice('usual', EFFORTS),
  annealing: choice('usual', EFFORTS),
  /** Of the places of patches, the noise that models start from, chains and samples. */
  seed: integer(1, 0, 2 ** 32 - 1),
  /** What the chart of likelihoods shows: them, or by how much each is ahead of the Gaussian. */
  chart: choice('nats', ['nats', 'difference']),
  /** Which pixels filters and samples are shown on. */
  pixels: choice('whitened', ['whitened', 'photograph']),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** Those alone that the result depends on. */
export function ofTheContest(settings: Settings): Settings {
  const { chart, pixels, photographs } = fields;
  return {
    ...settings,
    ...(settings.source === 'own' ? { photographs: photographs.initial } : { own: '' }),
    chart: chart.initial,
    pixels: pixels.initial,
    digest: '',
  };
}

/** Those alone that the patches depend on. */
export function ofThePatches(settings: Settings): PatchChoice {
  const { source, photographs, own, side, components, patches, test, seed } = settings;
  return { source, photographs, own, side, components, patches, numTest: test, seed };
}

/** Makes settings agree with one another: what does not go together gives way to what does. */
export function agreeing(settings: Settings): Settings {
  const components = Math.min(settings.components, Number(settings.side) ** 2);
  return { ...settings, components, patches: Math.max(settings.patches, 8 * components) };
}

type Sizes = Pick<Settings, 'side' | 'components' | 'patches' | 'test' | 'training' | 'annealing'>;

/** Sizes that go together. The last are those of table 5.1 of the thesis, but for what annealing costs. */
export const PRESETS = {
  look: {
    side: '8',
    components: 12,
    patches: 1500,
    test: 60,
    training: 'usual',
    annealing: 'usual',
  },
  longer: {
    side: '10',
    components: 20,
    patches: 4000,
    test: 100,
    training: 'long',
    annealing: 'usual',
  },
  table: {
    side: '16',
    components: 36,
    patches: 10_000,
    test: 100,
    training: 'long',
    annealing: 'long',
  },
} as const satisfies Record<string, Sizes>;
export type PresetId = keyof typeof PRESETS;

/** Which of them the settings are. */
export function presetOf(settings: Settings): PresetId | undefined {
  const ids = Object.keys(PRESETS) as PresetId[];
  return ids.find((id) => {
    const preset: Sizes = PRESETS[id];
    return (Object.keys(preset) as (keyof Sizes)[]).every(
      (name) => settings[name] === preset[name],
    );
  });
}
