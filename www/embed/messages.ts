/**
 * What an embedded lab and the page around it say to each other, over the port that comes with
 * `{ unnorm: 'connect' }`.
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
