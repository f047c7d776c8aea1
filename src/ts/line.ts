/**
 * One end of a line between two threads. What is posted is numbered, so that the other end notices with
 * the next message that one was lost: because it could not be read there for want of memory, or in
 * whatever way. Nobody can tell what it said, so the thread that misses one counts as lost, too, and its
 * jobs go on from their last checkpoints. Now and then a `ping` is posted over every line in use, that
 * also the loss of the last message comes to light.
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
