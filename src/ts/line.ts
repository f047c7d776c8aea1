/**
 * One end of a line between two threads.
 *
 * Messages are numbered, so that the receiver notices at the next message that one was lost, for
 * example for lack of memory to deserialize it. A lost message cannot be recovered: the thread that
 * missed it counts as lost, too, and its jobs resume from their last checkpoints. A `ping` is sent
 * at intervals over every line in use, so that the loss of the last message is noticed as well.
 */

/** A message in transit. */
export type Numbered<Message> = Message & { readonly number: number };

/** The text for a missing message. */
export const LOST = 'a message between its threads was lost';

export class Line<Out extends object> {
  readonly #post: (message: Numbered<Out>, transfer: Transferable[]) => void;
  #numPosted = 0;
  #numReceived = 0;

  constructor(post: (message: Numbered<Out>, transfer: Transferable[]) => void) {
    this.#post = post;
  }

  /** Posts a message. If posting throws, nothing has been posted. */
  post(message: Out, transfer: Transferable[] = []): void {
    this.#post({ ...message, number: this.#numPosted }, transfer);
    this.#numPosted += 1;
  }

  /** Whether this message directly follows the last one. */
  follows(message: { readonly number: number }): boolean {
    return message.number === this.#numReceived++;
  }
}
