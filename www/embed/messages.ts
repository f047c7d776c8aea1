/**
 * What an embedded lab and the page around it say to each other, over the port that comes with
 * `{ unnorm: 'connect' }`. In a notebook the page around it is a widget, and they say more.
 */
export type ToLab =
  | { type: 'theme'; theme: 'light' | 'dark' | undefined }
  /** As in a link, after the #. */
  | { type: 'settings'; settings: string }
  | { type: 'press'; what: 'start' | 'stop' };

export type FromLab =
  | { type: 'ready'; height: number }
  /** Height of the whole lab in CSS pixels. */
  | { type: 'size'; height: number }
  | { type: 'settings'; settings: string }
  /** `status` as in `run-control.ts`; the digest is empty until there is one, the numbers are there when it is done. */
  | { type: 'run'; status: string; digest: string; numbers: Record<string, string> };

/** In a notebook only: the answer to a question for a file; without bytes where there is no such file. */
export type ToNotebookLab = ToLab | { type: 'file'; name: string; bytes?: Uint8Array<ArrayBuffer> };

export type FromNotebookLab =
  | FromLab
  /** Asks for a file of data. */
  | { type: 'file'; name: string }
  /** A job of the engine is done. The spec is missing where it has a function in it. */
  | ({ type: 'job' } & DoneJob);

export interface DoneJob {
  verb: string;
  spec?: unknown;
  digest: string;
}
