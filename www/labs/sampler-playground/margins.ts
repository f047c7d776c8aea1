import { pageFont } from '../../pictures/canvas.js';
import { NUM_BINS } from './histogram.js';
import type { Frame, Scene } from './scene.js';

/** Room above the highest bar, relative to the highest true density. */
const HEADROOM = 1.35;

/** Histograms of the draws along the top and the right of the square, with the true marginals as lines. */
export function drawMarginals(context: CanvasRenderingContext2D, frame: Frame, scene: Scene): void {
  const { density, histogram, window, colours } = scene;
  if (!density) return;
  const { left, top, size, margin } = frame;
  const binWidth = (2 * window.reach) / NUM_BINS;
  const cell = size / NUM_BINS;
  for (const axis of [0, 1] as const) {
    const marginal = density.marginals[axis];
    let most = 0;
    for (const value of marginal) most = Math.max(most, value);
    const scale = (margin - 4) / (HEADROOM * most);
    const reachOf = (value: number) => Math.min(margin - 2, value * scale);
    if (histogram.total > 0 && scene.position >= 1) {
      context.fillStyle = colours.lane;
      context.globalAlpha = 0.45;
      const counts = histogram.counts[axis];
      for (let bin = 0; bin < NUM_BINS; bin++) {
        const long = reachOf((counts[bin] as number) / histogram.total / binWidth);
        if (axis === 0) context.fillRect(left + bin * cell, top - 1 - long, cell - 0.5, long);
        else context.fillRect(left + size + 1, top + size - (bin + 1) * cell, long, cell - 0.5);
      }
      context.globalAlpha = 1;
    }
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.3;
    context.beginPath();
    marginal.forEach((value, n) => {
      const along = ((n + 0.5) / density.size) * size;
      const long = reachOf(value);
      if (axis === 0) context.lineTo(left + along, top - 1 - long);
      else context.lineTo(left + size + 1 + long, top + size - along);
    });
    context.stroke();
  }
}

/** Energy errors beyond this, in nats, are drawn as this. */
const LARGEST = 3;
const BAR = 4;

/** The energy errors of chain 0's newest proposals, one bar each; what was rejected is hollow. */
export function drawEnergyErrors(
  context: CanvasRenderingContext2D,
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
  { lane, colours, hasTrajectories }: Scene,
  numSteps: number,
): void {
  const middle = top + height / 2;
  context.font = pageFont(11);
  context.fillStyle = colours.soft;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  const title = hasTrajectories
    ? 'Energy error of chain 0, nats'
    : 'No trajectories: chain 0 moves on a ladder';
  context.fillText(title, left, top - 5);
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  context.fillText(`+${LARGEST}`, left - 6, top + 5);
  context.fillText(`−${LARGEST}`, left - 6, top + height - 5);
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
  context.beginPath();
  context.moveTo(left, Math.round(middle) + 0.5);
  context.lineTo(left + width, Math.round(middle) + 0.5);
  context.stroke();
  const numBars = Math.floor((width - 4) / (BAR + 1));
  const first = Math.max(0, numSteps - numBars);
  for (let step = first; step < numSteps; step++) {
    const trajectory = lane.trajectories[step];
    if (!trajectory) continue;
    const error = Number.isNaN(trajectory.energyError) ? LARGEST : trajectory.energyError;
    const long = (Math.max(-LARGEST, Math.min(LARGEST, error)) / LARGEST) * (height / 2 - 2);
    const x = left + 2 + (step - first) * (BAR + 1);
    const y = Math.min(middle, middle - long);
    const tall = Math.max(1, Math.abs(long));
    if (trajectory.accepted) {
      context.fillStyle = colours.lane;
      context.fillRect(x, y, BAR, tall);
    } else {
      context.strokeStyle = colours.bad;
      context.strokeRect(x + 0.5, y + 0.5, BAR - 1, Math.max(0.5, tall - 1));
    }
  }
}
