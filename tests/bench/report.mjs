/** From samples to rows and bars. */
import { quantile } from '../../www/bench/statistics.js';
import { PEERS } from '../../www/bench/workloads.js';

/**
 * The longest any resource takes for so many things, in milliseconds; of several lists of things that
 * are done one after another, the sum.
 */
export function boundOf(counts, rates) {
  const longest = (list) =>
    Math.max(...Object.entries(list).map(([name, count]) => count / rates[name] / 1e6));
  return [counts].flat().reduce((sum, list) => sum + longest(list), 0);
}

/**
 * Rows of one workload: `samples` are milliseconds by engine, `bound` the kernel's, if known.
 * `ratioToPeer` and `ratioToLimit` are speeds: above 1 is faster than the peer, 1 is at the limit.
 * The peer is the fastest there is for the workload. The limit is what the machine can do at its
 * best, so the least time is held against it; `limitToPeer` is what it would be to the peer there. `rate` is leapfrog steps, or updates of sites, a second, where it samples,
 * of posteriors effective draws, and then it is what ratios are of; `worths` says what each run of these gave,
 * `error` that of log Z, from `errors`, by engine, where it is estimated, `peakMiB` of memory, from
 * `peaks`, where it is known, `digest` that of the first result, from `digests`, where it is ours.
 */
export function rowsOf(
  workload,
  samples,
  bound,
  { errors = new Map(), worths = [], peaks = new Map(), digests = new Map() } = {},
) {
  const median = (engine) => {
    const times = samples.get(engine);
    return times?.length
      ? quantile(
          times.toSorted((a, b) => a - b),
          0.5,
        )
      : null;
  };
  const middle = (engine, of) => {
    const values = worths.filter((worth) => worth.engine === engine).map(of);
    return values.length > 0
      ? quantile(
          values.toSorted((a, b) => a - b),
          0.5,
        )
      : null;
  };
  const effectiveRate = (engine) =>
    middle(engine, ({ effective, milliseconds }) => (1000 * effective) / milliseconds);
  const bestRate = Math.max(...PEERS.map(effectiveRate));
  const peers = PEERS.map(median).filter((time) => time !== null);
  const peer = peers.length > 0 ? Math.min(...peers) : null;
  return [...samples.keys()]
    .filter((engine) => median(engine) !== null)
    .map((engine) => {
      const sorted = samples.get(engine).toSorted((a, b) => a - b);
      const own = !PEERS.includes(engine);
      // It is that of vectors of 128 bits.
      const limited = own && !engine.startsWith('avx2') && bound !== null;
      const numSteps = workload.numLeapfrogSteps ?? workload.numUpdates;
      const worth = effectiveRate(engine);
      const steps = numSteps ? rounded((1000 * numSteps) / median(engine)) : null;
      const toPeer = worth === null ? peer / median(engine) : worth / bestRate;
      return {
        name: workload.name,
        engine,
        median: rounded(median(engine)),
        spread: rounded(quantile(sorted, 0.75) - quantile(sorted, 0.25)),
        unit: 'ms',
        rate: worth === null ? steps : rounded(worth),
        ratioToPeer: own && peer !== null ? rounded(toPeer) : null,
        ratioToLimit: limited ? rounded(bound / sorted[0]) : null,
        limitToPeer: limited && peer !== null ? rounded(peer / bound) : null,
        error: errors.has(engine) ? rounded(errors.get(engine)) : null,
        effective: worth === null ? null : rounded(middle(engine, ({ effective }) => effective)),
        gradientsEach: worth === null ? null : rounded(middle(engine, gradientsEach)),
        peakMiB: peaks.get(engine) ? rounded(peaks.get(engine)) : null,
        digest: digests.get(engine) ?? null,
      };
    });
}

/** Gradients for each effective draw. */
const gradientsEach = ({ numGradients, effective }) => numGradients / effective;

const NAMES = { blackjax: 'BlackJAX', numpyro: 'NumPyro' };

/** What the project holds itself to. `rows` are those of one workload, by its id. */
export function barsOf(rows) {
  const find = (id, engine) => rows[id]?.find((row) => row.engine === engine);
  const toPeer = (id, engine) => find(id, engine)?.ratioToPeer ?? null;
  const speed = (id, fast, slow) => {
    const [a, b] = [find(id, fast), find(id, slow)];
    return a && b ? rounded(b.median / a.median) : null;
  };
  // The same code on both sides: without a worker's messages, where that was measured.
  const wasmToNative = Object.keys(rows)
    .flatMap((id) =>
      ['node', 'chromium'].map(
        (engine) => speed(id, `${engine}-module`, 'native') ?? speed(id, engine, 'native'),
      ),
    )
    .filter((ratio) => ratio !== null);
  return [
    ['dense flow, Node, one thread, against NumPy, one thread', toPeer('dense', 'node'), 1],
    ['dense flow, Chromium, one thread, against NumPy, one thread', toPeer('dense', 'chromium'), 1],
    ...['native', 'avx2'].flatMap((engine) => [
      [`dense flow, ${engine}, one thread, against NumPy, one thread`, toPeer('dense', engine), 3],
      [
        `lattice flow, ${engine}, one thread, against NumPy, one thread`,
        toPeer('lattice', engine),
        10,
      ],
    ]),
    ['fit to 1e-6, Node, one worker, against NumPy and SciPy', toPeer('fit-1e-6', 'node'), 5],
    [
      'fit to 1e-6, Chromium, one worker, against NumPy and SciPy',
      toPeer('fit-1e-6', 'chromium'),
      5,
    ],
    ...Object.keys(rows)
      // Experts are asked nothing: they are here for what a product with a matrix costs.
      .filter((id) => id.startsWith('hmc-') && !id.startsWith('hmc-experts'))
      .flatMap((id) =>
        ['blackjax', 'numpyro'].map((peer) => [
          `${rows[id][0]?.name ?? id}: Chromium, one worker, against ${NAMES[peer]}, one thread`,
          speed(id, 'chromium', peer),
          1,
        ]),
      ),
    ...['node', 'chromium'].map((engine) => [
      `Gibbs on Pegasus, ${engine}, one worker, against dwave-samplers, one thread`,
      toPeer('gibbs-pegasus', engine),
      2,
    ]),
    ...['torus', 'torus-triangular', 'torus-cubic'].flatMap((id) =>
      ['node', 'chromium'].map((engine) => [
        `Gibbs on a ${id.slice('torus-'.length) || 'square'} torus, ${engine}, one worker, against mcising, one thread`,
        toPeer(id, engine),
        15,
      ]),
    ),
    ...['node', 'chromium'].map((engine) => [
      `posteriors of ten on which NUTS is ahead of all peers in effective draws a second, ${engine}, one worker`,
      numAhead(rows, engine),
      7,
    ]),
    ...Object.keys(rows)
      .filter((id) => id.startsWith('hais-'))
      .flatMap((id) =>
        [
          ['native', 'one thread'],
          ['avx2', 'one thread'],
          ['node', 'one worker'],
          ['chromium', 'one worker'],
          ['native-2-threads', 'two threads'],
          ['avx2-2-threads', 'two threads'],
          ['node-2-workers', 'two workers'],
          ['chromium-2-workers', 'two workers'],
          ['chromium-2-threads', 'two threads'],
        ].map(([engine, crew]) => [
          `${rows[id][0]?.name ?? id}: ${engine.split('-')[0]}, ${crew}, against NumPy, one thread`,
          toPeer(id, engine),
          5,
          crew.startsWith('two') ? null : find(id, engine)?.limitToPeer,
          'at the limit',
        ]),
      ),
    ...(rows.fingerprints
      ? [
          [
            '4,096 units learn 80 fingerprints in under 3 minutes, Chromium, one worker',
            within(find('fingerprints', 'chromium'), 180_000),
            1,
          ],
        ]
      : []),
    ['WebAssembly against native, the least of all rows', least(wasmToNative), 0.5],
    ...[
      ['fit', 'fit'],
      ['sample', 'hmc-experts-200'],
      ['logZ', 'hais-laplace'],
    ].flatMap(([verb, id]) =>
      [
        ['node', 'workers'],
        ['chromium', 'workers'],
        ['chromium', 'threads'],
      ].map(([engine, crew]) => [
        `two ${crew} against one, ${verb}, ${engine}`,
        speed(id, `${engine}-2-${crew}`, engine),
        1.8,
        twice(speed(id, `${engine}-2-engines`, engine)),
        'two engines at once',
      ]),
    ),
  ].map(([name, ratio, limit, ceiling, ceilingOf]) => ({
    name,
    met: ratio === null ? null : ratio >= limit,
    ratio,
    limit,
    ceiling: ceiling ?? null,
    ceilingOf: ceilingOf ?? null,
  }));
}

/** On how many posteriors an engine is ahead, if all were measured with a peer. */
function numAhead(rows, engine) {
  const ratios = Object.entries(rows)
    .filter(([id]) => id.startsWith('nuts-'))
    .map(([, measured]) => measured.find((row) => row.engine === engine)?.ratioToPeer ?? null);
  const isWhole = ratios.length === 10 && !ratios.includes(null);
  return isWhole ? ratios.filter((ratio) => ratio >= 1).length : null;
}

/** Of twice the work. */
function twice(speed) {
  return speed === null ? null : rounded(2 * speed);
}

/** How many times as fast as that many milliseconds. */
function within(row, milliseconds) {
  return row ? rounded(milliseconds / row.median) : null;
}

function least(ratios) {
  return ratios.length > 0 ? Math.min(...ratios) : null;
}

/** Four digits. */
export function rounded(value) {
  return Number(value.toPrecision(4));
}

/** The report for people. */
export function tableOf({ machine, rows, bars }) {
  const lines = [
    ...Object.entries(machine).map(([name, value]) => `${name}: ${words(value)}`),
    '',
    `${'milliseconds'.padEnd(76)}${'median'.padStart(11)}${'spread'.padStart(10)}${'× peer'.padStart(10)}${'of limit'.padStart(10)}${'million steps/s'.padStart(17)}${'error'.padStart(10)}${'peak MiB'.padStart(10)}${'effective/s'.padStart(13)}${'gradients each'.padStart(16)}`,
  ];
  for (const {
    name,
    engine,
    median,
    spread,
    ratioToPeer,
    ratioToLimit,
    rate,
    error,
    peakMiB,
    effective,
    gradientsEach: each,
  } of rows) {
    const cells = [spread, ratioToPeer, ratioToLimit].map((value) =>
      `${value ?? '–'}`.padStart(10),
    );
    const isWorth = effective !== null;
    const steps = rate === null || isWorth ? '' : rounded(rate / 1e6);
    cells.push(
      `${steps}`.padStart(17),
      `${error ?? ''}`.padStart(10),
      `${peakMiB ?? ''}`.padStart(10),
      `${isWorth ? rate : ''}`.padStart(13),
      `${each ?? ''}`.padStart(16),
    );
    const line = `${name.padEnd(60)} ${engine.padEnd(14)}${`${median}`.padStart(11)}${cells.join('')}`;
    lines.push(line.trimEnd());
  }
  lines.push('');
  for (const { name, met, ratio, limit, ceiling, ceilingOf } of bars) {
    const verdict = met === null ? 'not measured' : met ? 'met' : 'MISSED';
    const most = ceiling === null ? '' : `; ${ceilingOf}: ${ceiling}`;
    lines.push(`${verdict.padEnd(13)} ${name}: ${ratio ?? '–'}, asked ${limit}${most}`);
  }
  return lines.join('\n');
}

function words(value) {
  if (Array.isArray(value)) return value.map(words).join('; ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, inner]) => `${name} ${words(inner)}`)
    .join(', ');
}
