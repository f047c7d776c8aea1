/** Carries jobs on for a round or two, and stops them there. Runs in Node and in pages. */
import { withBits } from '../matrix/digests.mjs';

/**
 * The checkpoint of a job that was begun, or went on, here and is not at its end, as base64.
 * @param engine of the package under test
 * @param spec with its verb, data as `base64`
 * @param checkpoint to go on from, as base64, or null
 */
export async function carryOn(engine, { spec, checkpoint }) {
  const { verb, ...rest } = withBits(spec);
  const resumeFrom = checkpoint === null ? undefined : fromBase64(checkpoint);
  let paused;
  const handle = engine[verb](rest, {
    resumeFrom,
    // The job waits after each round until its report has come, so that it cannot run away.
    streamDraws: true,
    progressInterval: 0,
    onProgress: () => {
      paused ??= handle.pause();
    },
  });
  for await (const _ of handle) break;
  await paused;
  const reached = toBase64(await handle.checkpoint());
  handle.cancel();
  return reached;
}

const fromBase64 = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));

const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
