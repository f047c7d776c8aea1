import type { Point } from '../../lib/gaussian-paths.js';
import { ballAbout, type Way, wayLength, wayPoint } from '../../lib/half-plane.js';
import { t } from '../../lib/language.js';
import { AXIS_HEIGHT, type Axis, along, drawBottomAxis, niceStep } from '../../pictures/axis.js';
import { axisText } from '../../pictures/chart.js';

export interface HalfPlaneDrawing {
  /** Its width, in CSS pixels. */
  width: number;
  /** How far apart the means are, in standard deviations. */
  apart: number;
  ways: readonly { id: Way; colour: string }[];
  /** The part of each way that the ball which rolls is at. */
  share: number;
  /** Of the numbers, as CSS. */
  font: string;
  colours: { ground: string; line: string; soft: string; ink: string };
}

/** Of the balls: two that touch are 1 apart. */
const RADIUS = 0.5;
const MARGIN = { left: 42, right: 8, top: 10 };
/** Of a curve. */
const NUM_PIECES = 200;
/** What is seen beside the means, in parts of their distance and in standard deviations. */
const BESIDE = { parts: 0.1, more: 1.2 };

/** What is seen of the half-plane, and its scale, the same for μ and σ. */
function frameOf(width: number, apart: number) {
  const beside = BESIDE.parts * apart + BESIDE.more;
  const [low, high] = [-beside, apart + beside];
  const across = width - MARGIN.left - MARGIN.right;
  const scale = across / (high - low);
  // The highest ball is that on top of averages of moments.
  const { centre, up } = ballAbout(wayPoint('momentAverages', apart, 0), RADIUS);
  const most = 1.04 * (centre[1] + up);
  const axis: Axis = {
    left: MARGIN.left,
    width: across,
    top: MARGIN.top + most * scale,
    low,
    high,
  };
  return { axis, scale, most };
}

export function heightOf(width: number, apart: number): number {
  return Math.round(frameOf(width, apart).axis.top) + AXIS_HEIGHT;
}

export function drawHalfPlane(context: CanvasRenderingContext2D, drawing: HalfPlaneDrawing): void {
  const { width, apart, ways, share, font, colours } = drawing;
  const { axis, scale, most } = frameOf(width, apart);
  const toPixels = ([mu, sigma]: Point): Point => [along(axis, mu), axis.top - scale * sigma];
  context.fillStyle = colours.ground;
  context.fillRect(axis.left, MARGIN.top, axis.width, axis.top - MARGIN.top);
  drawBottomAxis(context, axis, t('mean μ'), axis.top - MARGIN.top, colours);
  drawLeftAxis();
  for (const { id, colour } of ways) {
    const length = wayLength(id, apart);
    context.strokeStyle = colour;
    context.fillStyle = colour;
    context.lineWidth = 1;
    const numBalls = Math.floor(length);
    for (let n = 0; n < numBalls; n++) ball(wayPoint(id, apart, n + (1 - numBalls) / 2), 0.12);
    context.lineWidth = 2;
    context.beginPath();
    for (let n = 0; n <= NUM_PIECES; n++) {
      context.lineTo(...toPixels(wayPoint(id, apart, length * (n / NUM_PIECES - 0.5))));
    }
    context.stroke();
    ball(wayPoint(id, apart, length * (share - 0.5)), 0.4);
  }
  context.fillStyle = colours.ink;
  for (const mu of [0, apart]) {
    context.beginPath();
    context.arc(...toPixels([mu, 1]), 4, 0, 2 * Math.PI);
    context.fill();
  }

  function ball(point: Point, opacity: number) {
    const { centre, across, up } = ballAbout(point, RADIUS);
    context.beginPath();
    context.ellipse(...toPixels(centre), scale * across, scale * up, 0, 0, 2 * Math.PI);
    context.globalAlpha = opacity;
    context.fill();
    context.globalAlpha = 0.8;
    context.stroke();
    context.globalAlpha = 1;
  }

  function drawLeftAxis() {
    const step = niceStep(most, Math.max(2, Math.floor((axis.top - MARGIN.top) / 45)));
    context.font = font;
    context.strokeStyle = colours.line;
    context.fillStyle = colours.soft;
    context.lineWidth = 1;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    for (let n = 0; n * step <= most; n++) {
      const y = Math.round(axis.top - scale * n * step) + 0.5;
      context.beginPath();
      context.moveTo(axis.left - 4, y);
      context.lineTo(axis.left + axis.width, y);
      context.stroke();
      context.fillText(axisText(n * step), axis.left - 7, y);
    }
    context.save();
    context.translate(8, (axis.top + MARGIN.top) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = 'center';
    context.fillText(t('standard deviation σ'), 0, 0);
    context.restore();
  }
}
