import type { NetworkSpec } from 'unnorm';
import type { Settings } from './settings.js';

/** All of what the engine is asked for but the data. */
export function specWithoutData(settings: Settings): Omit<NetworkSpec, 'data'> {
  const { objective, choice, gamma, falseEdges, bootstrap, seed } = settings;
  return {
    objective: { kind: objective },
    choice: {
      ebic: { kind: 'ebic', gamma } as const,
      crossValidation: { kind: 'crossValidation' } as const,
      stability: { kind: 'stability', falseEdges } as const,
    }[choice],
    bootstrap,
    seed,
  };
}
