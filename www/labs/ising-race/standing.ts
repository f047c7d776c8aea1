import type { RunStatus } from '../../frame/run-control.js';
import type { CouplingErrors } from '../../lib/coupling-errors.js';
import type { Course } from './course.js';
import type { Method } from './methods.js';

/** How a method of the race stands. */
export interface Standing {
  method: Method;
  status: RunStatus;
  /** By its own clock. */
  seconds: number;
  fraction: number;
  course: Course;
  errors: CouplingErrors | undefined;
  objective: number | undefined;
  numEvaluations: number | undefined;
  converged: boolean | undefined;
  stopReason: string | undefined;
  warnings: readonly string[];
  digest: string | undefined;
  /** Why it failed. */
  message: string | undefined;
  learned: Float64Array | undefined;
}

/** The state in a word or two. */
export function stateOf({ status, fraction, converged, method }: Standing): string {
  switch (status) {
    case 'idle':
      return 'waiting';
    case 'starting':
      return 'starting';
    case 'running':
      return `running, ${Math.round(100 * fraction)} %`;
    case 'paused':
      return 'paused';
    case 'stopped':
      return `stopped at ${Math.round(100 * fraction)} %`;
    case 'failed':
      return 'failed';
    case 'done':
      if (method.id === 'tap') return 'solved';
      // Stochastic methods have no test of convergence: they end with their budget.
      if (method.counts === 'updates') return 'budget used up';
      return converged ? 'converged' : 'ended early';
  }
}
