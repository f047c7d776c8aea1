import type { Trajectory } from './lane.svelte.js';
import type { Frame, Scene, SceneColours } from './scene.js';

/** Steps of chain 0 that are drawn, the newest strongest. */
const NUM_DRAWN = 7;

/** Points closer than this, in CSS pixels, have no dots of their own. */
const DOT_DISTANCE = 5;

/** The newest steps of chain 0: where each went, and what came of it. Signs differ in shape, not only in colour. */
export function drawTrajectories(
  context: CanvasRenderingContext2D,
  frame: Frame,
  scene: Scene,
  numSteps: number,
): void {
  const { lane, colours, position } = scene;
  if (!scene.hasTrajectories) {
    drawHops(context, frame, scene, numSteps);
    return;
  }
  context.lineJoin = 'round';
  context.lineCap = 'round';
  for (let step = Math.max(0, numSteps - NUM_DRAWN); step < numSteps; step++) {
    const trajectory = lane.trajectories[step];
    if (!trajectory) continue;
    const age = numSteps - 1 - step;
    context.globalAlpha = age === 0 ? 1 : 0.75 * (1 - age / NUM_DRAWN);
    drawPath(context, frame, scene, trajectory, trajectory.points.length / 2, age === 0);
    drawOutcome(context, frame, scene, step);
  }
  context.globalAlpha = 1;
  const next = lane.trajectories[numSteps];
  const phase = position - numSteps;
  if (scene.showsNext && next && phase > 0) {
    drawPath(context, frame, scene, next, 1 + phase * (next.points.length / 2 - 1), true);
  }
  const last = numSteps > 0 ? 2 * (numSteps - 1) * lane.numChains : -1;
  if (last >= 0)
    drawDisc(
      context,
      frame.toPixels(lane.values[last] as number, lane.values[last + 1] as number),
      5,
      colours.lane,
      colours,
    );
}

/** The first so many points of a trajectory; the last may be a part of the way. */
function drawPath(
  context: CanvasRenderingContext2D,
  frame: Frame,
  { colours, growsBothWays }: Scene,
  { points, accepted }: Trajectory,
  numPoints: number,
  dots: boolean,
): void {
  const whole = Math.floor(numPoints);
  const corners: (readonly [number, number])[] = [];
  for (let n = 0; n < whole; n++) {
    corners.push(frame.toPixels(points[2 * n] as number, points[2 * n + 1] as number));
  }
  const part = numPoints - whole;
  const [from, to] = [2 * (whole - 1), 2 * whole];
  if (part > 0 && whole > 0 && to + 1 < points.length) {
    const mix = (axis: number) =>
      (points[from + axis] as number) * (1 - part) + (points[to + axis] as number) * part;
    corners.push(frame.toPixels(mix(0), mix(1)));
  }
  const trace = () => {
    context.beginPath();
    corners.forEach(([x, y], n) => {
      // Every doubling of NUTS begins at one of the two ends, that next to its first point.
      if (growsBothWays && n > 1 && Number.isInteger(Math.log2(n))) {
        const [endX, endY] = nearest(corners.slice(0, n), x, y);
        context.moveTo(clampPixel(endX), clampPixel(endY));
      }
      context.lineTo(clampPixel(x), clampPixel(y));
    });
    context.stroke();
  };
  context.strokeStyle = colours.ground;
  context.lineWidth = 3.6;
  trace();
  context.strokeStyle = colours.ink;
  context.lineWidth = 1.5;
  // What will come of it is not known on the way.
  if (!accepted && numPoints >= points.length / 2) context.setLineDash([4, 4]);
  trace();
  context.setLineDash([]);
  if (!dots) return;
  context.fillStyle = colours.ink;
  let last: readonly [number, number] | undefined;
  for (const corner of corners) {
    if (last && Math.hypot(corner[0] - last[0], corner[1] - last[1]) < DOT_DISTANCE) continue;
    last = corner;
    context.beginPath();
    context.arc(clampPixel(corner[0]), clampPixel(corner[1]), 2.1, 0, 2 * Math.PI);
    context.fill();
  }
}

function nearest(
  corners: readonly (readonly [number, number])[],
  x: number,
  y: number,
): readonly [number, number] {
  const distance = (corner: readonly [number, number]) => Math.hypot(corner[0] - x, corner[1] - y);
  return corners.reduce((best, corner) => (distance(corner) < distance(best) ? corner : best));
}

/**
 * A disc at the draw where the proposal was accepted, a cross at the proposal where not, a triangle where it diverged; a
 * diamond where the momentum turned.
 */
function drawOutcome(
  context: CanvasRenderingContext2D,
  frame: Frame,
  { lane, colours, keepsMomentum }: Scene,
  step: number,
): void {
  const trajectory = lane.trajectories[step];
  if (!trajectory || trajectory.points.length < 2) return;
  const { points, accepted, diverged, flipped } = trajectory;
  const end = points.length - 2;
  const [x, y] = frame.toPixels(points[end] as number, points[end + 1] as number);
  if (diverged) {
    outlined(context, colours.bad, colours.ground, () => {
      context.moveTo(x, y - 6);
      context.lineTo(x + 5.5, y + 4);
      context.lineTo(x - 5.5, y + 4);
      context.closePath();
    });
  } else if (accepted) {
    const draw = 2 * step * lane.numChains;
    const place = frame.toPixels(lane.values[draw] as number, lane.values[draw + 1] as number);
    drawDisc(context, place, 3.6, colours.ink, colours);
  } else {
    outlined(context, colours.bad, colours.ground, () => {
      context.moveTo(x - 4, y - 4);
      context.lineTo(x + 4, y + 4);
      context.moveTo(x + 4, y - 4);
      context.lineTo(x - 4, y + 4);
    });
  }
  if (flipped && keepsMomentum) {
    const [startX, startY] = frame.toPixels(points[0] as number, points[1] as number);
    outlined(context, colours.ink, colours.ground, () => {
      context.moveTo(startX, startY - 8);
      context.lineTo(startX + 8, startY);
      context.lineTo(startX, startY + 8);
      context.lineTo(startX - 8, startY);
      context.closePath();
    });
  }
}

function outlined(
  context: CanvasRenderingContext2D,
  colour: string,
  rim: string,
  trace: () => void,
): void {
  for (const [stroke, width] of [
    [rim, 4.4],
    [colour, 2],
  ] as const) {
    context.strokeStyle = stroke;
    context.lineWidth = width;
    context.beginPath();
    trace();
    context.stroke();
  }
}

function drawDisc(
  context: CanvasRenderingContext2D,
  [x, y]: readonly [number, number],
  radius: number,
  colour: string,
  colours: SceneColours,
): void {
  context.beginPath();
  context.arc(clampPixel(x), clampPixel(y), radius, 0, 2 * Math.PI);
  context.fillStyle = colour;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = colours.ground;
  context.stroke();
}

/** Where the engine records no trajectories: straight lines from draw to draw of chain 0. */
function drawHops(
  context: CanvasRenderingContext2D,
  frame: Frame,
  { lane, colours }: Scene,
  numSteps: number,
): void {
  const at = (step: number) => {
    const n = 2 * step * lane.numChains;
    return frame.toPixels(lane.values[n] as number, lane.values[n + 1] as number);
  };
  for (let step = Math.max(1, numSteps - NUM_DRAWN); step < numSteps; step++) {
    context.globalAlpha = 1 - (numSteps - 1 - step) / NUM_DRAWN;
    outlined(context, colours.ink, colours.ground, () => {
      context.moveTo(...at(step - 1));
      context.lineTo(...at(step));
    });
  }
  context.globalAlpha = 1;
  if (numSteps > 0) drawDisc(context, at(numSteps - 1), 5, colours.lane, colours);
}

/** What diverges goes far beyond what a canvas can count in. */
function clampPixel(value: number): number {
  return Math.max(-1e4, Math.min(1e4, value));
}
