/**
 * The helpers of a job and the round they work on, as the coordinator sees them. Helpers keep no
 * state, so any worker can do any shard, or do it again.
 */

import { Line, LOST, type Numbered } from './line.js';
import { type FromHelper, type ToHelper, unreachable } from './protocol.js';

/** One shard in progress and one waiting, so that no helper has to wait for the next. */
const MIN_IN_FLIGHT = 2;
/**
 * How long shards may follow one another before messages are processed, in milliseconds. A worker
 * receives nothing during a shard, and each message takes a tenth of a millisecond.
 */
export const YIELD_AFTER_MS = 2;

/** The current round. */
export interface Round {
  readonly number: number;
  readonly broadcast: Uint8Array;
  /** The finished parts, by shard. */
  readonly parts: Uint8Array[];
  /** Shards that no worker has started yet. */
  readonly pending: number[];
  numMissing: number;
  /** Total time of its pieces, in milliseconds. */
  time: number;
}

/** What the crew needs from its coordinator. */
export interface CoordinatorApi {
  scatter(shard: number): Uint8Array;
  /** A helper has finished a shard. */
  partArrived(shard: number, part: Uint8Array, time: number): void;
  /** Runs an action that may throw. */
  guard(action: () => void): void;
}

interface Helper {
  readonly port: MessagePort;
  readonly line: Line<ToHelper>;
  ready: boolean;
  /** The number of the last round that was sent to it. */
  round: number | undefined;
  /** The shards it has been given and has not returned, in order. */
  readonly shards: Set<number>;
}

export class Crew {
  readonly #coordinator: CoordinatorApi;
  readonly #helpers = new Map<number, Helper>();
  #round: Round | undefined;
  #dealing = true;

  constructor(coordinator: CoordinatorApi) {
    this.#coordinator = coordinator;
  }

  /** Whether a helper has any shard. */
  get isWorking(): boolean {
    return [...this.#helpers.values()].some((helper) => helper.shards.size > 0);
  }

  add(index: number, port: MessagePort): void {
    const line = new Line<ToHelper>((message, transfer) => port.postMessage(message, transfer));
    const helper = { port, line, ready: false, round: undefined, shards: new Set<number>() };
    this.#helpers.set(index, helper);
    port.onmessage = (event: MessageEvent<Numbered<FromHelper>>) =>
      this.#coordinator.guard(() => this.#receive(index, event.data));
  }

  /** Records that a helper is gone; its shards are pending again. */
  lose(index: number): void {
    const helper = this.#helpers.get(index);
    if (!helper) return;
    this.#helpers.delete(index);
    disconnect(helper);
    this.#round?.pending.push(...helper.shards);
    this.#deal();
  }

  /** Asks every helper to answer, so that a lost message is noticed. */
  ping(): void {
    for (const { line } of this.#helpers.values()) line.post({ type: 'ping' });
  }

  begin(round: Round): void {
    this.#round = round;
    this.#deal();
  }

  end(): void {
    this.#round = undefined;
  }

  /**
   * Takes back the last shard of the helper with the most shards, if one is waiting there, so that
   * an idle worker can do it. If the helper has begun it nevertheless, its result is discarded.
   */
  takeBack(): number | undefined {
    let most: Helper | undefined;
    for (const helper of this.#helpers.values()) {
      if (helper.shards.size > (most?.shards.size ?? 1)) most = helper;
    }
    const shard = most && [...most.shards].at(-1);
    if (!most || shard === undefined) return undefined;
    most.shards.delete(shard);
    most.line.post({ type: 'withdraw', shard });
    return shard;
  }

  /** Sets whether helpers are given new shards. */
  setDealing(dealing: boolean): void {
    this.#dealing = dealing;
    this.#deal();
  }

  close(): void {
    for (const helper of this.#helpers.values()) disconnect(helper);
    this.#helpers.clear();
    this.#round = undefined;
  }

  #receive(index: number, message: Numbered<FromHelper>): void {
    const helper = this.#helpers.get(index);
    if (!helper) return;
    if (!helper.line.follows(message)) throw new Error(LOST);
    switch (message.type) {
      case 'ready':
        helper.ready = true;
        break;
      case 'pong':
        break;
      case 'parts':
        for (const { shard, part, time } of message.parts) {
          // Parts of another round, or of shards taken back, are discarded.
          if (message.round !== this.#round?.number || !helper.shards.delete(shard)) continue;
          this.#coordinator.partArrived(shard, part, time);
        }
        break;
      default:
        unreachable(message);
    }
    this.#deal();
  }

  #deal(): void {
    const round = this.#round;
    if (!round || !this.#dealing) return;
    // The coordinator, which works itself, does not answer at once. If a helper gets too many
    // shards, some are taken back.
    const share = Math.floor(round.pending.length / (this.#helpers.size + 1));
    const most = Math.max(MIN_IN_FLIGHT, share);
    for (const helper of this.#helpers.values()) {
      const { ready, shards } = helper;
      if (!ready || shards.size >= most) continue;
      const dealt = takeEvenly(round.pending, most - shards.size);
      if (dealt.length === 0) return;
      this.#give(helper, round, dealt);
    }
  }

  /**
   * Posts shards, in one message with the round if they are its first, as each message takes a
   * tenth of a millisecond.
   */
  #give(helper: Helper, { number, broadcast }: Round, dealt: number[]): void {
    const shards = dealt.map((shard) => ({ shard, scattered: this.#coordinator.scatter(shard) }));
    const round = helper.round === number ? undefined : { number, broadcast };
    const buffers = shards.map(({ scattered }) => scattered.buffer as ArrayBuffer);
    helper.line.post({ type: 'shards', round, shards }, buffers);
    helper.round = number;
    for (const shard of dealt) helper.shards.add(shard);
  }
}

function disconnect(helper: Helper): void {
  helper.port.onmessage = null;
  helper.port.close();
}

/**
 * Takes `count` of the list's elements, or all if there are fewer, evenly spread. Similar shards
 * are neighbours, so every worker gets some of the long ones; short ones come last.
 */
function takeEvenly(list: number[], count: number): number[] {
  const { length } = list;
  /** How many of the first `numFirst` elements are taken. */
  const among = (numFirst: number) => Math.ceil((numFirst * count) / length);
  const isTaken = (_: number, at: number) => among(at) < among(at + 1);
  const taken = list.filter(isTaken);
  list.splice(0, length, ...list.filter((shard, at) => !isTaken(shard, at)));
  return taken;
}
