import type { Density } from '../../lib/plane-density.js';
import type { Window } from '../../lib/plane-targets.js';
import { cleared } from '../../pictures/canvas.js';
import { drawPlaneAxes, type PlaneFrame } from '../../pictures/plane-axes.js';
import type { Cloud } from './cloud.js';
import type { Histogram } from './histogram.js';
import type { Lane } from './lane.svelte.js';
import { drawEnergyErrors, drawMarginals } from './margins.js';
import { drawTrajectories } from './trajectories.js';

export interface SceneColours {
  ink: string;
  soft: string;
  line: string;
  ground: string;
  bad: string;
  lane: string;
  /** The lane's colour as red, green, blue bytes. */
  laneBytes: readonly number[];
}

export interface Scene {
  /** Width in CSS pixels. */
  width: number;
  window: Window;
  density: Density | undefined;
  /** The density as a picture, one pixel a cell. */
  ground: HTMLCanvasElement;
  lane: Lane;
  /** Steps shown, with the part of the next one. */
  position: number;
  /** Whether the step on its way is drawn as far as it has come. */
  showsNext: boolean;
  hasTrajectories: boolean;
  /** Whether trajectories grow at either end, as those of NUTS do. */
  growsBothWays: boolean;
  /** Whether a momentum that is turned round is used again. */
  keepsMomentum: boolean;
  cloud: Cloud;
  histogram: Histogram;
  colours: SceneColours;
}

export interface Frame extends PlaneFrame {
  /** Of the histograms at the top and the right of the square. */
  margin: number;
}

const LEFT = 26;
const AXIS = 24;
const STRIP = 50;
const GAP = 22;

export function frameOf(width: number, { centre, reach }: Window): Frame {
  const margin = Math.round(Math.max(34, 0.13 * width));
  const size = Math.max(1, width - LEFT - margin);
  const top = margin;
  const scale = size / (2 * reach);
  return {
    left: LEFT,
    top,
    size,
    margin,
    toPixels: (x, y) => [
      LEFT + (x - centre[0] + reach) * scale,
      top + (centre[1] + reach - y) * scale,
    ],
  };
}

export function heightOf(width: number, window: Window): number {
  const { top, size } = frameOf(width, window);
  return top + size + AXIS + GAP + STRIP;
}

export function drawScene(canvas: HTMLCanvasElement, scene: Scene): void {
  const { width, window, lane, position, colours, density } = scene;
  const frame = frameOf(width, window);
  const height = heightOf(width, window);
  const context = cleared(canvas, width, height);
  if (!context) return;
  const { left, top, size } = frame;
  const numSteps = Math.min(Math.floor(position), lane.numAvailable);
  const ratio = canvas.width / width;

  context.imageSmoothingEnabled = true;
  context.fillStyle = colours.ground;
  context.fillRect(left, top, size, size);
  if (density) context.drawImage(scene.ground, left, top, size, size);
  scene.cloud.resize(Math.round(size * ratio));
  if (lane.numChains > 0) {
    scene.cloud.draw(lane, numSteps, window, colours.laneBytes, ratio);
    context.drawImage(scene.cloud.canvas, left, top, size, size);
    scene.histogram.update(lane, numSteps, window);
    context.save();
    context.beginPath();
    context.rect(left, top, size, size);
    context.clip();
    drawTrajectories(context, frame, scene, numSteps);
    context.restore();
  }
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, size - 1, size - 1);
  drawPlaneAxes(context, frame, window, colours);
  drawMarginals(context, frame, scene);
  const strip = { left, top: top + size + AXIS + GAP, width: size, height: STRIP };
  drawEnergyErrors(context, strip, scene, numSteps);
}
