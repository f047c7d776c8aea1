import { count, decimal, duration, sentence, signed } from '../../lib/format.js';
import { type Cell, type Maker, standingsOf } from './contest.svelte.js';
import type { Line, LineId } from './estimators.js';
import { MODEL_WORDS, MODELS, type ModelId } from './settings.js';
import { type Point, type Truth, worthOf } from './standing.js';

export interface Standing {
  line: Line;
  points: readonly Point[];
}

type Last = { line: Line; point: Point };

/** Half a power of ten: less is not worth more than a bare mention. */
const BARE = 0.5 * Math.LN10;
/** Two of them: more is decisive. */
const DECISIVE = 2 * Math.LN10;

/** What was found, in sentences made from the numbers. */
export function findingsOf(
  truth: Truth | undefined,
  standings: readonly Standing[],
  cells: readonly Cell[],
): string[] {
  const last = standings.flatMap(({ line, points }): Last[] => {
    const point = points.at(-1);
    return point && Number.isFinite(point.error) ? [{ line, point }] : [];
  });
  return [
    ...(truth
      ? [
          bandOf(truth),
          ...calmOf(last, gapOf(truth)),
          ...quickOf(standings),
          ...symmetryOf(last),
          ...gradesOf(last, gapOf(truth)),
        ]
      : []),
    ...contestOf(cells),
  ].map(sentence);
}

/** Nats between annealing there and back. */
function gapOf({ forward, reverse }: Truth): number {
  return Math.abs(reverse - forward);
}

function bandOf(truth: Truth): string {
  const { size, isCertified } = truth;
  const gap = gapOf(truth);
  const apart = `annealing there and back, with ${count(size)} distributions, is ${decimal(gap, 2)} nats apart`;
  const sure = isCertified
    ? ''
    : '; for your table neither knows a draw of the posterior, so both may miss the same part of it';
  return `${apart}: ${gap < 1 ? 'the truth is known to less than a nat' : 'more distributions would bring the two nearer'}${sure}`;
}

/** The estimator that is furthest off for how well its trials agree. */
function calmOf(last: readonly Last[], gap: number): string[] {
  const calm = last
    .filter(({ point }) => Math.abs(point.error) > 10 + gap && point.sd < Math.abs(point.error) / 5)
    .sort((a, b) => Math.abs(b.point.error) / b.point.sd - Math.abs(a.point.error) / a.point.sd)
    // Those whose trials all end in one optimum agree by their nature.
    .find(({ line }) => !['bic', 'variational', 'symmetric'].includes(line.id));
  if (!calm) return [];
  const { line, point } = calm;
  return [
    `${line.name} is ${off(point)}, and its trials agree to within ${decimal(point.sd, 1)}: it is calm, and wrong`,
  ];
}

/** One that needs little time and is nearer than one that takes long. */
function quickOf(standings: readonly Standing[]): string[] {
  const all = standings.flatMap(({ line, points }) => points.map((point) => ({ line, point })));
  const slow = standings
    .flatMap(({ line, points }) => {
      const point = points.at(-1);
      return point && Math.abs(point.error) > 10 ? [{ line, point }] : [];
    })
    .sort((a, b) => b.point.seconds - a.point.seconds)[0];
  // Ten times as quick, and the nearest of these.
  const quick = all
    .filter(({ point }) => slow && point.seconds <= slow.point.seconds / 10)
    .sort((a, b) => Math.abs(a.point.error) - Math.abs(b.point.error))[0];
  if (!slow || !quick || Math.abs(quick.point.error) > Math.abs(slow.point.error) / 2) return [];
  return [
    `a trial of ${quick.line.name} takes ${duration(quick.point.seconds)} with ${setting(quick)} and is ${off(quick.point)}; one of ${slow.line.name} takes ${duration(slow.point.seconds)} with ${setting(slow)} and is ${off(slow.point)}`,
  ];
}

function symmetryOf(last: readonly Last[]): string[] {
  const of = (id: LineId) => last.find(({ line }) => line.id === id)?.point;
  const [plain, mended] = [of('variational'), of('symmetric')];
  if (!plain || !mended || plain.size !== mended.size) return [];
  return [
    `variational Bayes explains one of the many names that the parts could have: the log of their number, ${decimal(mended.combined - plain.combined, 1)} nats, takes it from ${signed(plain.error, 1)} to ${signed(mended.error, 1)}`,
  ];
}

/** Errors as what they would be worth between two models. */
function gradesOf(last: readonly Last[], gap: number): string[] {
  const names = (some: readonly Last[]) => list(some.map(({ line }) => line.name));
  // Where the truth itself is not known so well, nobody is near it.
  const near = gap <= BARE ? last.filter(({ point }) => Math.abs(point.error) <= BARE) : [];
  const far = last.filter(({ point }) => Math.abs(point.error) > DECISIVE + gap / 2);
  return [
    ...(near.length > 0
      ? [
          `on the scale of Kass and Raftery a mean error up to ${decimal(BARE, 1)} nats is ${worthOf(BARE)}: so near ${near.length === 1 ? 'is' : 'are'} ${names(near)}`,
        ]
      : []),
    ...(far.length > 0
      ? [
          `more than ${decimal(DECISIVE, 1)} nats would be decisive between two models: so far off ${far.length === 1 ? 'is' : 'are'} ${names(far)}`,
        ]
      : []),
  ];
}

/** A model that is ahead of the other two on a table. */
interface Winner {
  maker: Maker;
  model: ModelId;
  /** Nats that the next one is behind, and the standard error of that. */
  lead: number;
  error: number;
}

function contestOf(cells: readonly Cell[]): string[] {
  const makers = [...new Set(cells.map(({ maker }) => maker))];
  const winners = makers.flatMap((maker): Winner[] => {
    const row = standingsOf(maker, cells).sort((a, b) => a.behind - b.behind);
    const [best, second] = row;
    if (row.length < MODELS.length || !best || !second) return [];
    const error = Math.hypot(best.standardError, second.standardError);
    return [{ maker, model: best.model, lead: second.behind, error }];
  });
  const isSure = ({ lead, error }: Winner) => lead > 2 * error;
  const right = winners.filter((winner) => winner.maker === winner.model && isSure(winner));
  const others = winners.filter((winner) => !right.includes(winner));
  return [...victoriesOf(right), ...others.map((winner) => otherOf(winner, isSure(winner)))];
}

/** Of tables that are the most probable under the model that made them. */
function victoriesOf(right: readonly Winner[]): string[] {
  if (right.length === 0) return [];
  const which =
    right.length === MODELS.length
      ? 'every table is'
      : `${list(right.map(({ maker }) => tableOf(maker)))} ${right.length === 1 ? 'is' : 'are'}`;
  const least = Math.min(...right.map(({ lead }) => lead));
  const atLeast = right.length === 1 ? '' : 'at least ';
  return [
    `${which} the most probable under the model that made it, by ${atLeast}${worthNats(least)}`,
  ];
}

function otherOf({ maker, model, lead, error }: Winner, isSure: boolean): string {
  const under = `${tableOf(maker)} is the most probable under the model of ${MODEL_WORDS[model].noun}`;
  if (isSure) return `${under}, by ${worthNats(lead)}`;
  return `${under}, but only by ${decimal(lead, 1)} ± ${decimal(error, 1)} nats: longer annealing would tell`;
}

function tableOf(maker: Maker): string {
  return maker === 'own' ? 'your table' : `the table from ${MODEL_WORDS[maker].noun}`;
}

function worthNats(nats: number): string {
  const worth = worthOf(nats);
  return `${decimal(nats, 1)} nats, which is ${worth === worthOf(0) ? worth : `${worth} evidence`}`;
}

/** 75.0 nats too high. */
function off({ error }: Point): string {
  return `${decimal(Math.abs(error), 1)} nats too ${error > 0 ? 'high' : 'low'}`;
}

function setting({ line, point }: Last): string {
  return `${count(point.size)} ${point.size === 1 ? line.counts.replace(/^(\w+?)s\b/, '$1') : line.counts}`;
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
