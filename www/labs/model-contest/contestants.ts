export const CONTESTANT_IDS = [
  'gaussian',
  'ica',
  'laplaceComplete',
  'studentComplete',
  'laplace',
  'studentT',
  'linearGaussian',
  'linearLaplace',
  'gaussianRbm',
  'mcRbm',
  'neural',
  'bilinear',
] as const;
export type ContestantId = (typeof CONTESTANT_IDS)[number];

/** What models of a kind have in common, and the colour by which pictures tell them apart. */
export const FAMILIES = {
  gaussian: { name: 'Gaussian', colour: '--series-3' },
  complete: { name: 'As many filters as dimensions', colour: '--series-1' },
  overcomplete: { name: 'More filters', colour: '--series-4' },
  generative: { name: 'Generative', colour: '--series-2' },
  hidden: { name: 'Hidden units, or a network', colour: '--series-5' },
} as const;
export type Family = keyof typeof FAMILIES;

export interface Contestant {
  id: ContestantId;
  /** In full. */
  name: string;
  /** Where there is little room. */
  short: string;
  family: Family;
  /** Of `startingModel`. */
  kind: ModelKindName;
  /** One sentence on what it is. */
  about: string;
  energy: string;
  /** How its log likelihood is known: exactly by the engine, exactly by this page, or by annealing alone. */
  truth: 'engine' | 'page' | 'none';
  isGenerative: boolean;
  /** What the pictures of its parameters are. */
  pictures: 'filters' | 'basis functions' | 'weights' | 'none';
  /** What the curve of its training shows. */
  objective: string;
}

export type ModelKindName =
  | 'gaussian'
  | 'ica'
  | 'laplace'
  | 'studentT'
  | 'linearGaussian'
  | 'linearLaplace'
  | 'bilinear'
  | 'mcRbm'
  | 'gaussianRbm'
  | 'neural';

const LIKELIHOOD = 'negative log likelihood of the training patches, nats a patch';
const FLOW = 'probability flow to the last samples, 1 where each search begins';
const MEAN_ENERGY = 'mean energy of patches and their coefficients, nats a patch';

/** In the order of their turns: the quick ones first. */
export const CONTESTANTS: readonly Contestant[] = [
  {
    id: 'gaussian',
    name: 'Gaussian',
    short: 'Gaussian',
    family: 'gaussian',
    kind: 'gaussian',
    about: 'Knows means and covariances, and nothing else.',
    energy: '½ (x − μ)ᵀ Λ (x − μ)',
    truth: 'engine',
    isGenerative: false,
    pictures: 'none',
    objective: LIKELIHOOD,
  },
  {
    id: 'ica',
    name: 'Independent components',
    short: 'ICA',
    family: 'complete',
    kind: 'ica',
    about:
      'Responses of as many filters as dimensions, independent, each with a sharp peak and long tails.',
    energy: 'Σ |Jₖ x| + D ln 2 − ln |det J|',
    truth: 'engine',
    isGenerative: false,
    pictures: 'filters',
    objective: LIKELIHOOD,
  },
  {
    id: 'laplaceComplete',
    name: 'Product of Laplace experts, complete',
    short: 'Laplace, complete',
    family: 'complete',
    kind: 'laplace',
    about:
      'The same densities as independent components have, started from other noise: a control, which ought to tie with them.',
    energy: 'Σ |Φₗ x|',
    truth: 'engine',
    isGenerative: false,
    pictures: 'filters',
    objective: LIKELIHOOD,
  },
  {
    id: 'studentComplete',
    name: 'Product of Student’s t experts, complete',
    short: 'Student’s t, complete',
    family: 'complete',
    kind: 'studentT',
    about:
      'Longer tails, each with an exponent that is learned: hard to anneal to, but known exactly.',
    energy: 'Σ λₗ ln (1 + (Φₗ x)²)',
    truth: 'engine',
    isGenerative: false,
    pictures: 'filters',
    objective: LIKELIHOOD,
  },
  {
    id: 'laplace',
    name: 'Product of Laplace experts',
    short: 'Laplace experts',
    family: 'overcomplete',
    kind: 'laplace',
    about: 'More filters than dimensions; nobody knows Z.',
    energy: 'Σ |Φₗ x|',
    truth: 'none',
    isGenerative: false,
    pictures: 'filters',
    objective: FLOW,
  },
  {
    id: 'studentT',
    name: 'Product of Student’s t experts',
    short: 'Student’s t experts',
    family: 'overcomplete',
    kind: 'studentT',
    about: 'More filters than dimensions, with long tails; nobody knows Z.',
    energy: 'Σ λₗ ln (1 + (Φₗ x)²)',
    truth: 'none',
    isGenerative: false,
    pictures: 'filters',
    objective: FLOW,
  },
  {
    id: 'linearGaussian',
    name: 'Linear generative, Gaussian prior',
    short: 'Linear, Gaussian',
    family: 'generative',
    kind: 'linearGaussian',
    about: 'A patch is a sum of basis functions and noise. At its best no more than a Gaussian.',
    energy: '|x − Φa|² / 2σ² + ½ |a|²',
    truth: 'page',
    isGenerative: true,
    pictures: 'basis functions',
    objective: MEAN_ENERGY,
  },
  {
    id: 'linearLaplace',
    name: 'Linear generative, Laplace prior',
    short: 'Linear, Laplace',
    family: 'generative',
    kind: 'linearLaplace',
    about: 'The same, with coefficients of which most are small: sparse coding.',
    energy: '|x − Φa|² / 2σ² + Σ |aₗ|',
    truth: 'none',
    isGenerative: true,
    pictures: 'basis functions',
    objective: MEAN_ENERGY,
  },
  {
    id: 'gaussianRbm',
    name: 'Gaussian Boltzmann machine',
    short: 'Gaussian RBM',
    family: 'hidden',
    kind: 'gaussianRbm',
    about: 'Hidden units that are on or off move the mean of a Gaussian.',
    energy: '½ |x − c|² − Σ ln (1 + exp(bⱼ + Wⱼ x))',
    truth: 'engine',
    isGenerative: false,
    pictures: 'weights',
    objective: FLOW,
  },
  {
    id: 'mcRbm',
    name: 'Mean and covariance machine',
    short: 'mcRBM',
    family: 'hidden',
    kind: 'mcRbm',
    about:
      'Hidden units that change means, and others that change covariances (Ranzato and Hinton 2010).',
    energy: 'that of the thesis, 5.24',
    truth: 'none',
    isGenerative: false,
    pictures: 'filters',
    objective: FLOW,
  },
  {
    id: 'neural',
    name: 'Neural energy',
    short: 'Neural energy',
    family: 'hidden',
    kind: 'neural',
    about: 'A network of one layer in a bowl.',
    energy: '|x|² / 2s² + w · softplus(W x + b)',
    truth: 'none',
    isGenerative: false,
    pictures: 'weights',
    objective: FLOW,
  },
  {
    id: 'bilinear',
    name: 'Bilinear generative',
    short: 'Bilinear',
    family: 'generative',
    kind: 'bilinear',
    about:
      'Basis functions in groups that are loud or silent together. The last to learn, and the hardest to anneal to.',
    energy: '|x − Φ(Θc ⊙ Ψd)|² / 2σ² + Σ |cₖ| + Σ dₖ',
    truth: 'none',
    isGenerative: true,
    pictures: 'basis functions',
    objective: MEAN_ENERGY,
  },
];

export const contestantOf = (id: ContestantId): Contestant =>
  CONTESTANTS.find((contestant) => contestant.id === id) as Contestant;
