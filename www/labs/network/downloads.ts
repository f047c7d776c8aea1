import type { DownloadItem } from '../../frame/DownloadMenu.svelte';
import { download } from '../../lib/download.js';
import { picturesToPng } from '../../pictures/save-png.js';
import { themeColour } from '../../shell/theme.svelte.js';
import { bitAt } from './data.js';
import { isShown } from './edges.js';
import { graphSvg } from './graph-svg.js';
import { graphOf } from './graph-view.js';
import type { Network } from './network.svelte.js';
import { specWithoutData } from './specs.js';
import { pairText } from './words.js';
import { csvText, graphMl, pairsCsv } from './writers.js';

/** Of the SVG, in pixels. */
const SIZE = { width: 800, height: 700 };

/** What the lab offers for download. `pictures` gives the element that holds them. */
export function downloadsOf(lab: Network, pictures: () => Element): DownloadItem[] {
  const isFound = lab.result !== undefined;
  return [
    {
      label: 'Edges, CSV',
      detail: 'Those shown: log odds ratios, intervals, shares',
      enabled: isFound,
      save: () => download('edges.csv', csvOf(lab, lab.edges), 'text/csv'),
    },
    {
      label: 'All pairs, CSV',
      detail: 'The same of every pair, edge or not',
      enabled: isFound,
      save: () => download('pairs.csv', csvOf(lab, lab.pairs), 'text/csv'),
    },
    {
      label: 'Graph, GraphML',
      detail: 'For Gephi, igraph, Cytoscape or NetworkX',
      enabled: isFound,
      save: () =>
        download('network.graphml', graphMl(lab.edges, lab.names), 'application/graphml+xml'),
    },
    {
      label: 'Graph, SVG',
      detail: 'As arranged, to be printed or drawn on',
      enabled: isFound,
      save: () => download('network.svg', svgOf(lab), 'image/svg+xml'),
    },
    {
      label: 'Result, JSON',
      detail: 'Spec, path, edges and digest',
      enabled: isFound,
      save: () => download('network.json', resultJson(lab), 'application/json'),
    },
    {
      label: 'Data, CSV',
      detail: 'The rows, below their names',
      enabled: lab.rows !== undefined,
      save: () => download('data.csv', dataCsv(lab), 'text/csv'),
    },
    {
      label: 'Pictures, PNG',
      detail: 'All pictures on one sheet',
      enabled: isFound,
      save: () => {
        const colours = { ground: themeColour('--surface'), ink: themeColour('--ink') };
        picturesToPng(pictures(), 'unnorm · Network', colours).then(
          (png) => download('network.png', png, 'image/png'),
          (error: unknown) => lab.run.report(error),
        );
      },
    },
  ];
}

function csvOf({ names, leastShare }: Network, pairs: Network['pairs']): string {
  return pairsCsv(pairs, names, (pair) => isShown(pair, leastShare));
}

function svgOf(lab: Network): string {
  const { places, lines, names, colours } = graphOf(lab, SIZE.width, SIZE.height);
  return graphSvg(places, lines, names, ({ pair }) => pairText(pair, names), colours);
}

function resultJson(lab: Network): string {
  const plain = (_: string, value: unknown) =>
    ArrayBuffer.isView(value) ? Array.from(value as Float64Array) : value;
  const { settings, names, rows, own, truth, result } = lab;
  const written = {
    link: lab.link(),
    names,
    spec: specWithoutData(settings),
    data: {
      numRows: rows?.numRows,
      dim: rows?.dim,
      ...(own.content && { file: own.content.name }),
    },
    result,
    ...(truth && { trueCouplings: truth }),
  };
  return `${JSON.stringify(written, plain, 1)}\n`;
}

function dataCsv({ names, rows }: Network): string {
  if (!rows) return '';
  const lines = Array.from({ length: rows.numRows }, (_, row) =>
    names.map((_, column) => Number(bitAt(rows, row, column))).join(','),
  );
  return `${[names.map(csvText).join(','), ...lines].join('\n')}\n`;
}
