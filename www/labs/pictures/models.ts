export const MODEL_IDS = ['ica', 'laplace', 'studentT', 'gaussianRbm'] as const;
export type ModelId = (typeof MODEL_IDS)[number];

export const MODELS: Record<ModelId, { label: string; hint: string; energy: string }> = {
  ica: {
    label: 'Independent components',
    hint: 'One filter for each dimension; their responses are independent, each with a sharp peak and long tails.',
    energy: 'E(x) = Σ |Jₖ x| + D ln 2 − ln |det J|',
  },
  laplace: {
    label: 'Product of experts, Laplace',
    hint: 'The same energy for each filter, but there may be more filters than dimensions.',
    energy: 'E(x) = Σ |Φₗ x|',
  },
  studentT: {
    label: 'Product of experts, Student’s t',
    hint: 'Smooth energies with longer tails, each with an exponent that is learned too.',
    energy: 'E(x) = Σ λₗ ln (1 + (Φₗ x)²)',
  },
  gaussianRbm: {
    label: 'Boltzmann machine, normal pixels',
    hint: 'A hidden unit for each filter, on or off; given these the patch is normal, with their filters added up for its mean.',
    energy: 'E(x) = Σ (xᵢ − cᵢ)²/2σᵢ² − Σ softplus(bⱼ + Wⱼ x/σ)',
  },
};

/** The standard deviation of the noise that denoising score matching puts on whitened patches, whose own is 1. */
export const NOISE = 0.4;

export const METHOD_IDS = [
  'maximumLikelihood',
  'persistentMpf',
  'denoisingScoreMatching',
  'persistentContrastiveDivergence',
] as const;
export type MethodId = (typeof METHOD_IDS)[number];

export interface Method {
  label: string;
  /** One sentence on what it does. */
  hint: string;
  objective: { title: string; unit: string; note: string };
}

export const METHODS: Record<MethodId, Method> = {
  maximumLikelihood: {
    label: 'Maximum likelihood',
    hint: 'Makes the training patches as probable as can be. Z is known exactly where there are as many filters as dimensions.',
    objective: {
      title: 'Negative log likelihood',
      unit: 'training patches, exact, nats a patch',
      note: 'Of the training patches, exact, in nats a patch. This is minimized.',
    },
  },
  persistentMpf: {
    label: 'Persistent probability flow',
    hint: 'Lowers the flow of probability from the patches to samples of the model, which Hamiltonian chains draw anew again and again. It never needs Z.',
    objective: {
      title: 'Flow',
      unit: 'from training patches to the last samples, 1 where a search begins',
      note: 'From the training patches to the last samples of the model, dimensionless; 1 where each search begins.',
    },
  },
  denoisingScoreMatching: {
    label: 'Denoising score matching',
    hint: 'Puts noise on the patches and has the slope of the energy guess it. It needs neither Z nor samples, but an energy without corners; what it learns is the patches with that noise. Without noise, score matching would press filters ever sharper onto single patches, without end.',
    objective: {
      title: 'Score matching objective',
      unit: 'squared error of ∇E as a guess of the noise, mean over training patches',
      note: `How far ∇E is from the noise put on a training patch, of standard deviation ${NOISE}, squared and averaged. This is minimized.`,
    },
  },
  persistentContrastiveDivergence: {
    label: 'Persistent contrastive divergence',
    hint: 'Lowers the energy of patches and raises that of chains, which go on by block Gibbs sampling: all hidden units, then all pixels. There is no step size, and nothing that is minimized.',
    objective: {
      title: 'Contrast',
      unit: 'mean energy of patches minus that of chains, nats',
      note: 'The mean energy of patches minus that of the chains, in nats; about 0 where chains are like patches. Nothing is minimized.',
    },
  },
};

/** The methods that a model can be fitted by; the first is the usual one. */
export function methodsOf(model: ModelId, complete: boolean): MethodId[] {
  return METHOD_IDS.filter((method) => {
    // The machine has block Gibbs sampling, and is learned by chains of it alone.
    const isByChains = method === 'persistentContrastiveDivergence';
    if (model === 'gaussianRbm' || isByChains) return model === 'gaussianRbm' && isByChains;
    if (method === 'maximumLikelihood') return complete;
    return method !== 'denoisingScoreMatching' || model === 'studentT';
  });
}

/** The method, or the usual one where that does not go with the model. */
export function methodFor(method: MethodId, model: ModelId, complete: boolean): MethodId {
  const possible = methodsOf(model, complete);
  return possible.includes(method) ? method : (possible[0] ?? 'persistentMpf');
}
