import { count, decimal, duration, sentence, signed } from '../../lib/format.js';
import { type Cell, type Maker, standingsOf } from './contest.svelte.js';
import type { Line, LineId } from './estimators.js';
import { MODEL_WORDS, MODELS } from './settings.js';
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
          ...calmOf(last),
          ...quickOf(standings),
          ...symmetryOf(last),
          ...gradesOf(last),
        ]
      : []),
    ...contestOf(cells),
  ].map(sentence);
}

function bandOf({ forward, reverse, size, isCertified }: Truth): string {
  const gap = reverse - forward;
  const apart = `annealing there and back, with ${count(size)} distributions, is ${decimal(Math.abs(gap), 2)} nats apart`;
  const sure = isCertified
    ? ''
    : '; for your table neither knows a draw of the posterior, so both may miss the same part of it';
  return `${apart}: ${Math.abs(gap) < 1 ? 'the truth is known to less than a nat' : 'more distributions would bring the two nearer'}${sure}`;
}

/** The estimator that is furthest off for how well its trials agree. */
function calmOf(last: readonly Last[]): string[] {
  const calm = last
    .filter(({ point }) => Math.abs(point.error) > 10 && point.sd < Math.abs(point.error) / 5)
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
function gradesOf(last: readonly Last[]): string[] {
  const names = (some: readonly Last[]) => list(some.map(({ line }) => line.name));
  const near = last.filter(({ point }) => Math.abs(point.error) <= BARE);
  const far = last.filter(({ point }) => Math.abs(point.error) > DECISIVE);
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

function contestOf(cells: readonly Cell[]): string[] {
  const makers = [...new Set(cells.map(({ maker }) => maker))];
  const whole = makers
    .map((maker) => ({ maker, row: standingsOf(maker, cells) }))
    .filter(({ row }) => row.length === MODELS.length)
    .map(({ maker, row }) => {
      const [best, second] = [...row].sort((a, b) => a.behind - b.behind);
      return { maker, model: best?.model, lead: second?.behind ?? 0 };
    });
  if (whole.length === 0) return [];
  const nameOf = (model: Maker | undefined) =>
    model && model !== 'own' ? MODEL_WORDS[model].noun : 'nothing';
  const [first] = whole;
  if (first?.maker === 'own') {
    return [
      `of the three models, ${nameOf(first.model)} makes your table the most probable, by ${lead(first.lead)}`,
    ];
  }
  const lost = whole.filter(({ maker, model }) => maker !== model);
  const won = whole.filter(({ maker, model }) => maker === model);
  const least = Math.min(...won.map((row) => row.lead));
  return [
    ...(won.length > 0
      ? [
          `${won.length === whole.length && won.length === MODELS.length ? 'every table is' : `${list(won.map(({ maker }) => `the table from ${nameOf(maker)}`))} ${won.length === 1 ? 'is' : 'are'}`} the most probable under the model that made it, by ${won.length === 1 ? '' : 'at least '}${lead(least)}`,
        ]
      : []),
    ...lost.map(
      ({ maker, model, lead: ahead }) =>
        `the table from ${nameOf(maker)} is more probable under ${nameOf(model)}, by ${lead(ahead)}`,
    ),
  ];
}

function lead(nats: number): string {
  const worth = worthOf(nats);
  return `${decimal(nats, 1)} nats, which is ${worth === 'not worth more than a bare mention' ? worth : `${worth} evidence`}`;
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
