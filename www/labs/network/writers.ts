import type { Pair } from './edges.js';

/** Pairs as CSV, a line each, as log odds ratios. */
export function pairsCsv(
  pairs: readonly Pair[],
  names: readonly string[],
  isEdge: (pair: Pair) => boolean,
): string {
  const hasTruth = pairs.some(({ truth }) => truth !== undefined);
  const head = 'from,to,edge,penalized,estimate,standardError,lower,upper,share';
  const lines = pairs.map((pair) => {
    const { penalized, debiased, share, truth } = pair;
    return [
      ...pair.sites.map((site) => csvText(names[site] ?? '')),
      isEdge(pair) ? 1 : 0,
      penalized,
      debiased?.estimate,
      debiased?.standardError,
      debiased?.lower,
      debiased?.upper,
      share,
      ...(hasTruth ? [truth] : []),
    ].join(',');
  });
  return `${[hasTruth ? `${head},truth` : head, ...lines].join('\n')}\n`;
}

/** In quotes where it has to be. */
export function csvText(text: string): string {
  return /[",;\s]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const EDGE_KEYS = ['weight', 'estimate', 'standardError', 'lower', 'upper', 'share'] as const;

/** A network as GraphML (Brandes et al. 2002); the weight of an edge is its penalized log odds ratio. */
export function graphMl(edges: readonly Pair[], names: readonly string[]): string {
  const lines = edges.flatMap(({ sites: [i, j], penalized, debiased, share }) => {
    const values = { weight: penalized, ...debiased, share };
    const data = EDGE_KEYS.flatMap((key) =>
      values[key] === undefined ? [] : [`      <data key="${key}">${values[key]}</data>`],
    );
    return [`    <edge source="n${i}" target="n${j}">`, ...data, '    </edge>'];
  });
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    '  <key id="label" for="node" attr.name="label" attr.type="string"/>',
    ...EDGE_KEYS.map(
      (key) => `  <key id="${key}" for="edge" attr.name="${key}" attr.type="double"/>`,
    ),
    '  <graph edgedefault="undirected">',
    ...names.map(
      (name, n) => `    <node id="n${n}"><data key="label">${xmlText(name)}</data></node>`,
    ),
    ...lines,
    '  </graph>',
    '</graphml>',
  ].join('\n')}\n`;
}

/** Text of XML, without the characters that it cannot hold. */
export function xmlText(text: string): string {
  const known = [...text].filter((character) => {
    const code = character.codePointAt(0) ?? 0;
    return (
      code >= 0x20 && code !== 0xfffe && code !== 0xffff && !(code >= 0xd800 && code <= 0xdfff)
    );
  });
  return known
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
