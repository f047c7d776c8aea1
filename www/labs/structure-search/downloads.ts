import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { searchSpec } from './settings.js';
import type { StructureSearch } from './structure-search.svelte.js';

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: StructureSearch, pictures: () => Element): DownloadItem[] {
  return [
    {
      label: 'Result, JSON',
      detail: 'Spec, all candidates, matrices and digest',
      enabled: lab.result !== undefined,
      save: () => download('structure-search.json', resultJson(lab), 'application/json'),
    },
    {
      label: 'Tree, CSV',
      detail: 'Every structure tried: level, parent, score',
      enabled: lab.numTried > 0,
      save: () => download('structures.csv', treeCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'The table and its matrices',
      enabled: lab.table !== undefined,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Structure search', colours).then(
          (png) => download('structure-search.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function resultJson(lab: StructureSearch): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { settings, own, table, arranged, result } = lab;
  const written = {
    link: lab.link(),
    ...(own.content && { file: own.content.name }),
    spec: { ...table, ...searchSpec(settings), name: undefined, id: undefined },
    order: { rows: arranged?.rows, columns: arranged?.columns },
    result,
  };
  return `${JSON.stringify(written, plain, 1)}\n`;
}

function treeCsv({ tree }: StructureSearch): string {
  const lines = tree.levels.flatMap((nodes, level) =>
    nodes.map(({ text, parent, gain, step, stepError }) =>
      [
        level,
        text,
        parent === undefined ? '' : (tree.levels[level - 1]?.[parent]?.text ?? ''),
        gain,
        step,
        stepError,
      ].join(','),
    ),
  );
  return `level,structure,parent,gain on G,gain on parent,standard error\n${lines.join('\n')}\n`;
}
