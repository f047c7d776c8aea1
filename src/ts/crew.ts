/**
 * The helpers of a job and the round they work on, as the coordinator sees them. Helpers keep no
 * state, so any shard can be done, or done again, by anyone.
 */

import { Line, LOST, type Numbered } from './line.js';
import { type FromHelper, type ToHelper, unreachable } from './protocol.js';

/** One shard being worked on and one waiting, so that no helper has to wait for the next. */
const LEAST_IN_FLIGHT = 2;

/** A round under way. */
export interface Round {
  readonly number: number;
  readonly broadcast: Uint8Array;
  /** The finished parts, by shard. */
  readonly parts: Uint8Array[];
  /** Shards that nobody works on yet. */
  readonly pending: number[];
  numMissing: number;
  /** What its pieces have taken together, in milliseconds. */
  time: number;
}

/** What the crew needs of its coordinator. */
export interface Crewed {
  scatter(shard: number): Uint8Array;
  /** A helper has finished a shard. */
  partArrived(shard: number, part: Uint8Array, time: number): void;
  /** Runs what may throw. */
  guard(action: () => void): void;
}

interface Helper {
  readonly port: MessagePort;
  readonly line: Line<ToHelper>;
  ready: boolean;
  /** The shards it has been given and has not returned, in their order. */
  readonly shards: Set<number>;
}

export class Crew {
  readonly #coordinator: Crewed;
  readonly #helpers = new Map<number, Helper>();
  #round: Round | undefined;
  #dealing = true;

  constructor(coordinator: Crewed) {
    this.#coordinator = coordinator;
  }

  /** Whether any shard is with a helper. */
  get isWorking(): boolean {
    return [...this.#helpers.values()].some((helper) => helper.shards.size > 0);
  }

  add(index: number, port: MessagePort): void {
    const line = new Line<ToHelper>((message) => port.postMessage(message));
    this.#helpers.set(index, { port, line, ready: false, shards: new Set() });
    port.onmessage = (event: MessageEvent<Numbered<FromHelper>>) =>
      this.#coordinator.guard(() => this.#receive(index, event.data));
  }

  /** A helper is gone; its shards are pending again. */
  lose(index: number): void {
    const helper = this.#helpers.get(index);
    if (!helper) return;
    this.#helpers.delete(index);
    disconnect(helper);
    this.#round?.pending.push(...helper.shards);
    this.#deal();
  }

  /** Has every helper answer, so that a lost message comes to light. */
  ping(): void {
    for (const { line } of this.#helpers.values()) line.post({ type: 'ping' });
  }

  begin(round: Round): void {
    this.#round = round;
    for (const helper of this.#helpers.values()) this.#announce(helper);
    this.#deal();
  }

  end(): void {
    this.#round = undefined;
  }

  /**
   * Takes back the last shard of the helper that has most, if one waits there: to be done by whoever has nothing else
   * left. A helper that begins it all the same does so in vain.
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

  /** Whether helpers are given new shards. */
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
        this.#announce(helper);
        break;
      case 'pong':
        break;
      case 'part':
        if (message.round !== this.#round?.number || !helper.shards.delete(message.shard)) break;
        this.#coordinator.partArrived(message.shard, message.part, message.time);
        break;
      default:
        unreachable(message);
    }
    this.#deal();
  }

  #announce(helper: Helper): void {
    if (!helper.ready || !this.#round) return;
    const { number, broadcast } = this.#round;
    helper.line.post({ type: 'round', round: number, broadcast });
  }

  #deal(): void {
    const round = this.#round;
    if (!round || !this.#dealing) return;
    // More while there are many: the coordinator, at work itself, does not answer at once. Half of a fair share leaves
    // enough for whoever turns out to be faster.
    const share = round.pending.length / (2 * (this.#helpers.size + 1));
    const most = Math.max(LEAST_IN_FLIGHT, Math.ceil(share));
    for (const helper of this.#helpers.values()) {
      while (helper.ready && helper.shards.size < most) {
        const shard = round.pending.shift();
        if (shard === undefined) return;
        helper.shards.add(shard);
        const scattered = this.#coordinator.scatter(shard);
        helper.line.post({ type: 'shard', shard, scattered });
      }
    }
  }
}

function disconnect(helper: Helper): void {
  helper.port.onmessage = null;
  helper.port.close();
}
