import type { createEngine } from '../../../dist/inline.js';
import { verbNames } from '../../../dist/verbs.js';

type CreateEngine = typeof createEngine;
type Job = PromiseLike<unknown>;

/** The verbs are those methods that give a handle; `then` alone would also fit the engine's other promises. */
const isJob = (value: unknown): value is Job =>
  typeof value === 'object' && value !== null && 'checkpoint' in value && 'then' in value;

/**
 * An engine whose jobs say how far they are, and whose errors know from where the job was started: the stack of an
 * error that comes from a worker has no line of the program.
 */
export function withProgress(
  create: CreateEngine,
  report: (verb: string, fraction: number) => void,
): {
  createEngine: CreateEngine;
  /** The stack of the call that an error is the outcome of. */
  stackOf(error: unknown): string | undefined;
  /** When no job runs any more. */
  allDone(): Promise<void>;
} {
  const stacks = new WeakMap<object, string>();
  const running = new Set<PromiseLike<void>>();
  const remember = (error: unknown, stack: string | undefined) => {
    if (typeof error === 'object' && error !== null && stack) stacks.set(error, stack);
  };

  function watched(verb: string, method: (...args: unknown[]) => unknown) {
    return (spec: unknown, options?: { onProgress?: (progress: unknown) => void }) => {
      const { stack } = new Error();
      const result = method(spec, {
        ...options,
        onProgress: (progress: { fraction?: unknown }) => {
          if (typeof progress.fraction === 'number') report(verb, progress.fraction);
          options?.onProgress?.(progress);
        },
      });
      if (!isJob(result)) return result;
      const done: PromiseLike<void> = result.then(
        () => {
          running.delete(done);
        },
        (error: unknown) => {
          remember(error, stack);
          running.delete(done);
        },
      );
      running.add(done);
      return result;
    };
  }

  return {
    createEngine: async (options) => {
      const engine = await create(options);
      return new Proxy(engine, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          const method = member.bind(target);
          return typeof name === 'string' && VERBS.has(name) ? watched(name, method) : method;
        },
      });
    },
    stackOf: (error) =>
      typeof error === 'object' && error !== null ? stacks.get(error) : undefined,
    async allDone() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

const VERBS: ReadonlySet<string> = new Set(verbNames);
