import type { Crew, Size } from './settings.js';

/** What the bench's worker is told. */
export type ToBench =
  | {
      kind: 'start';
      size: Size;
      numWorkers: number;
      numRounds: number;
      ids: string[];
      /** Addresses of files, by their paths in the repository. */
      files: Record<string, string>;
      wasmUrl: string;
    }
  | { kind: 'pause' }
  | { kind: 'resume' };

/** What it answers. */
export type FromBench =
  | { kind: 'begun'; id: string; crew: Crew }
  /** A turn is over. Those of round −1 warm up and do not count. */
  | {
      kind: 'timed';
      id: string;
      crew: Crew;
      round: number;
      milliseconds: number[];
      digest: string;
    }
  | { kind: 'done' }
  | { kind: 'failed'; message: string };
