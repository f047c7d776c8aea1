import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { cheapSpec, levelSpec } from './jobs.js';
import type { Level } from './level.js';
import type { PartitionFunction } from './partition-function.svelte.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(
  lab: PartitionFunction,
  pictures: () => Element,
  onerror: (error: unknown) => void,
): DownloadItem[] {
  const { levels, shown } = lab;
  return [
    {
      label: 'Results, JSON',
      detail: 'Settings, specs and results of every K',
      enabled: levels.length > 0,
      save: () => download('partition-function.json', resultsJson(lab), 'application/json'),
    },
    {
      label: 'Estimates, CSV',
      detail: 'A row for every K',
      enabled: levels.length > 0,
      save: () =>
        download('partition-function.csv', estimatesCsv(levels, lab.exactLogZ), 'text/csv'),
    },
    {
      label: 'Log weights, CSV',
      detail: 'Of the K shown, a row a chain',
      enabled: shown !== undefined,
      save: () => shown && download(`log-weights-${shown.K}.csv`, weightsCsv(shown), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet, as shown',
      enabled: true,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Partition function', colours).then(
          (png) => download('partition-function.png', png, 'image/png'),
          onerror,
        );
      },
    },
  ];
}

function resultsJson(lab: PartitionFunction): string {
  const { problem } = lab;
  if (!problem) return '{}';
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const runs = lab.levels.map(({ K, gap, seconds, result }) => ({
    gap,
    seconds,
    spec: { ...levelSpec(problem, K), model: undefined },
    result,
  }));
  const cheap = lab.cheap && {
    spec: { ...cheapSpec(problem), model: undefined },
    result: { ...lab.cheap, forward: bare(lab.cheap.forward), reverse: bare(lab.cheap.reverse) },
  };
  const all = { link: lab.link(), model: problem.model, exactLogZ: lab.exactLogZ, cheap, runs };
  return `${JSON.stringify(all, plain)}\n`;
}

/** Without the ten thousand weights of the cheap estimates, which nobody wants. */
function bare<T extends { logWeights: unknown }>(run: T | undefined) {
  return run && { ...run, logWeights: undefined };
}

function estimatesCsv(levels: readonly Level[], exact: number | undefined): string {
  const names = [
    'K',
    'logZ',
    'standardError',
    'lower',
    'upper',
    'forward',
    'forwardLower',
    'forwardUpper',
    'reverse',
    'reverseLower',
    'reverseUpper',
    'boundLower',
    'boundUpper',
    'boundIsCertified',
    'gap',
    'forwardWeightEss',
    'reverseWeightEss',
    'forwardIntegral',
    'reverseIntegral',
    'exact',
    'seconds',
    'seed',
    'digest',
  ];
  const rows = levels.map(({ K, gap, seconds, result }) => {
    const { logZ, standardError, interval, forward, reverse, bounds } = result;
    return [
      K,
      logZ,
      standardError,
      interval.lower,
      interval.upper,
      forward.logZ.value,
      forward.logZ.interval.lower,
      forward.logZ.interval.upper,
      reverse?.logZ.value,
      reverse?.logZ.interval.lower,
      reverse?.logZ.interval.upper,
      bounds.lower,
      bounds.upper,
      bounds.boundIsCertified,
      gap,
      forward.weightEss,
      reverse?.weightEss,
      forward.integral?.value,
      reverse?.integral?.value,
      exact,
      seconds,
      result.seed,
      result.digest,
    ].join(',');
  });
  return `${[names.join(','), ...rows].join('\n')}\n`;
}

function weightsCsv({ result: { forward, reverse } }: Level): string {
  const rows = Array.from(
    forward.logWeights,
    (weight, chain) => `${chain},${weight},${reverse?.logWeights[chain] ?? ''}`,
  );
  return `chain,forward,reverse\n${rows.join('\n')}\n`;
}
