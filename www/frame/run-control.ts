export type RunStatus = 'idle' | 'starting' | 'running' | 'paused' | 'stopped' | 'done' | 'failed';

/** What went wrong, in the engine's own words. */
export interface RunError {
  message: string;
  code: string | undefined;
}

/** What the frame shows of a run and what its buttons do, whether one job runs or several. */
export interface RunControl {
  readonly status: RunStatus;
  /** Starting, running or paused. */
  readonly busy: boolean;
  /** The part done, 0 to 1. */
  readonly fraction: number;
  /** Seconds computed so far, without pauses and stops. */
  readonly seconds: number;
  /** Seconds still to go; undefined while that cannot be told. */
  readonly secondsLeft: number | undefined;
  readonly error: RunError | undefined;
  stop(): void;
  pause(): Promise<void>;
  resume(): void;
}
