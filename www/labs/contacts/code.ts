import { functionsOf, propertyLines } from '../../lib/code.js';
import foldedChain from '../../lib/folded-chain.js?raw';
import randomModels from '../../lib/random-models.js?raw';
import type { Contacts } from './contacts.svelte.js';
import { drawSpec, fitSpec } from './settings.js';

/** The lines that make the same fit with the package, printed from the very spec that the page runs. */
export function codeFor({ settings, fold, own, numTold, isCorrected }: Contacts): string {
  const { letters, strength, seed } = settings;
  return [
    ...(fold ? [] : ["import { readFile } from 'node:fs/promises';"]),
    "import { couplingStrengths, createEngine } from 'unnorm';",
    ...(fold ? [] : ["import { packValues, readFasta } from 'unnorm/formats';"]),
    '',
    ...(fold
      ? [
          ...functionsOf(randomModels, 'normals'),
          ...functionsOf(foldedChain, ...fold.functions, 'contactsOf', 'foldedPotts'),
        ]
      : []),
    'const engine = await createEngine();',
    ...(fold
      ? [
          `const truth = foldedPotts(${fold.code}, ${letters}, ${strength}, ${seed});`,
          'const { numSites, numValues } = truth;',
          'const { draws: sequences } = await engine.sample({',
          '  model: truth,',
          ...propertyLines(drawSpec(settings)),
          '});',
        ]
      : [
          `const bytes = new Uint8Array(await readFile(${JSON.stringify(own.content?.name ?? 'family.fasta')}));`,
          'const { values, numSites, numValues } = readFasta(bytes);',
          'const sequences = packValues(values, numSites, numValues);',
        ]),
    '',
    'const { model, digest } = await engine.fit({',
    "  model: { kind: 'potts', numSites, numValues },",
    "  data: { kind: 'bits', ...sequences },",
    ...propertyLines(fitSpec(settings)),
    '});',
    'console.log(digest);',
    `const pairs = couplingStrengths(model, { averageProductCorrection: ${isCorrected} });`,
    '// Sites from 1, three or more apart along the chain.',
    `for (const { i, j, strength } of pairs.filter(({ i, j }) => j - i >= 3).slice(0, ${numTold})) {`,
    '  console.log(i + 1, j + 1, strength.toFixed(3));',
    '}',
    'await engine.close();',
  ].join('\n');
}
