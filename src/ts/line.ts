/**
 * One end of a line between two threads.
 *
 * Messages are numbered, so that the receiver notices at the next message that one was lost, for example for lack of
 * memory to deserialize it. What it said cannot be recovered: the thread that missed it counts as lost, too, and its jobs
 * resume from their last checkpoints. A `ping` is sent over every line in use at intervals, so that the loss of the last
 * message is noticed as well.
 */

/** A message as it travels. */
export type Numbered<Message> = Message & { readonly number: number };

/** What is said where a message is missing. */
export const LOST = 'a message between its threads was lost';

export class Line<Out extends object> {
  readonly #post: (message: Numbered<Out>, transfer: Transferable[]) => void;
  #numPosted = 0;
  #numReceived = 0;

  constructor(post: (message: Numbered<Out>, transfer: Transferable[]) => void) {
    this.#post = post;
  }

  /** Throws what posting throws; then nothing has been posted. */
  post(message: Out, transfer: Transferable[] = []): void {
    this.#post({ ...message, number: this.#numPosted }, transfer);
    this.#numPosted += 1;
  }

  /** Whether this message is the one after the last. */
  follows(message: { readonly number: number }): boolean {
    return message.number === this.#numReceived++;
  }
}
