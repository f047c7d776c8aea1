import { NUM_PIXELS } from '../../lib/digits.js';
import { RbmReader } from '../../lib/rbm.js';
import { type Frame, inColumns, NUM_SHOWN } from './film.js';
import { machineAt, type Way } from './way.js';

/**
 * The first chains on their way, a line each, as probabilities of ink: of the pixels given the hidden units, and those
 * given the pixels drawn, by the machine at that β. `[shown, columns, pixels]`; paper where no chain has come yet.
 */
export function stripOf(frames: readonly Frame[], way: Way | undefined): Float32Array | undefined {
  if (!way || frames.length === 0) return undefined;
  const columns = inColumns(frames);
  const strip = new Float32Array(NUM_SHOWN * columns.length * NUM_PIXELS);
  columns.forEach((frame, column) => {
    if (!frame) return;
    const reader = new RbmReader(machineAt(way, frame.beta));
    for (let chain = 0; chain < NUM_SHOWN; chain++) {
      const row = frame.states.subarray(chain * NUM_PIXELS, (chain + 1) * NUM_PIXELS);
      strip.set(reader.reconstruction(row), (chain * columns.length + column) * NUM_PIXELS);
    }
  });
  return strip;
}
