import type { CovarianceSpec } from 'unnorm';
import type { TimeUnit } from './sources.js';

/** What a description has to know of a series. */
export interface Span {
  first: number;
  last: number;
  /** Mean distance of neighbouring times. */
  step: number;
  unit: TimeUnit;
}

type Leaf = Exclude<CovarianceSpec, { kind: 'sum' | 'product' }>;
type OfKind<K extends Leaf['kind']> = Extract<Leaf, { kind: K }>;

/** Periods so near to a year are yearly. */
const NEAR = 0.02;
/** A standard deviation that changes by less than this factor neither grows nor shrinks. */
const STEADY = 1.25;
/** Parts of the seen time, at whose ends the size is looked at. */
const PLACES = 100;

/** The base kernels in a kernel, from the left to the right. */
function leavesOf(kernel: CovarianceSpec): Leaf[] {
  if (kernel.kind === 'sum') return kernel.terms.flatMap(leavesOf);
  if (kernel.kind === 'product') return kernel.factors.flatMap(leavesOf);
  return [kernel];
}

/** What functions a product of base kernels describes: a yearly season that grows. */
export function componentWords(kernel: CovarianceSpec, span: Span): string {
  const leaves = leavesOf(kernel);
  const of = <K extends Leaf['kind']>(kind: K) =>
    leaves.filter((leaf): leaf is OfKind<K> => leaf.kind === kind);
  const [periodic, lines] = [of('PER'), of('LIN')];
  const smooth = [...of('SE'), ...of('RQ')];
  if (periodic.length === 0 && smooth.length === 0) return polynomial(lines.length);
  // The shortest scale is the one that is seen.
  const shortest = smooth.reduce<(typeof smooth)[number] | undefined>(
    (least, leaf) => (least && least.lengthScale <= leaf.lengthScale ? least : leaf),
    undefined,
  );
  const growth = lines.length > 0 ? sizeWords(lines, span) : '';
  if (periodic.length > 0) {
    const seasons = periodic.map(({ period }) => seasonWords(period, span.unit));
    const changes = shortest ? [`changes over about ${lengthOf(shortest.lengthScale, span)}`] : [];
    const verbs = [...changes, ...(growth ? [growth] : [])];
    return `${seasons.join(' times ')}${verbs.length > 0 ? ` that ${verbs.join(' and ')}` : ''}`;
  }
  return `${smoothWords(shortest, span)}${growth ? `, that ${growth}` : ''}`;
}

/** Rounded to this number of significant digits. */
function rounded(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}

function polynomial(degree: number): string {
  return (
    ['a straight line', 'a parabola', 'a cubic'][degree - 1] ?? `a polynomial of degree ${degree}`
  );
}

function seasonWords(period: number, unit: TimeUnit): string {
  const years = unit.one === 'year' ? period : unit.one === 'month' ? period / 12 : undefined;
  if (years !== undefined && Math.abs(years - 1) < NEAR) return 'a yearly season';
  if (years !== undefined && Math.abs(years - 0.5) < NEAR / 2) return 'a half-yearly season';
  return `a season of ${rounded(period, 3)} ${unit.many}`;
}

function smoothWords(leaf: OfKind<'SE'> | OfKind<'RQ'> | undefined, span: Span): string {
  const length = leaf?.lengthScale ?? 0;
  const scales = leaf?.kind === 'RQ' ? ', and over shorter and longer times' : '';
  if (length > (span.last - span.first) / 2)
    return `a smooth trend, over ${lengthOf(length, span)}${scales}`;
  return `a fluctuation over about ${lengthOf(length, span)}${scales}`;
}

function lengthOf(length: number, { unit }: Span): string {
  if (unit.one === 'year' && length < 1) return `${rounded(12 * length, 2)} months`;
  return `${rounded(length, 2)} ${unit.many}`;
}

/** How what lines multiply changes its size from the first time to the last; empty if it hardly does. */
function sizeWords(lines: readonly OfKind<'LIN'>[], { first, last }: Span): string {
  const sizeAt = (time: number) =>
    lines.reduce(
      (size, { biasVariance, slopeVariance, location }) =>
        size * Math.sqrt(biasVariance + slopeVariance * (time - location) ** 2),
      1,
    );
  const times = Array.from({ length: PLACES + 1 }, (_, n) => first + (n * (last - first)) / PLACES);
  const sizes = times.map(sizeAt);
  const least = Math.min(...sizes);
  const [falls, rises] = [sizeAt(first), sizeAt(last)].map((size) => size > STEADY * least);
  if (falls && rises) {
    const turn = times[sizes.indexOf(least)] ?? first;
    return `shrinks until ${rounded(turn, 4)} and grows from there`;
  }
  return rises ? 'grows' : falls ? 'shrinks' : '';
}
