import { literal } from '../../lib/code.js';
import type { SamplerPlayground } from './sampler-playground.svelte.js';

/** The lines that draw the same with the package, printed from the very specs that the page runs. */
export function codeFor(lab: SamplerPlayground): string {
  const samplers = lab.active.map(({ sampler }) => lab.specOf(sampler));
  const { chains, steps, seed } = lab.settings;
  return [
    "import { createEngine } from 'unnorm';",
    '',
    'const common = {',
    `  model: ${literal(lab.specModel)},`,
    `  numChains: ${chains},`,
    `  numDraws: ${steps},`,
    ...(lab.startsExact ? ["  start: { kind: 'exact' },"] : []),
    `  seed: ${seed},`,
    '};',
    'const samplers = [',
    ...samplers.map(({ transition, numWarmup, recordPath }) => {
      const own = { transition, numWarmup, ...(recordPath && { recordPath }) };
      return `  ${literal(own)},`;
    }),
    '];',
    '',
    'const engine = await createEngine();',
    'for (const sampler of samplers) {',
    '  const { summary, digest } = await engine.sample({ ...common, ...sampler });',
    '  console.log(sampler.transition.kind, summary.mean, summary.essBulk, summary.rhat, digest);',
    '}',
    'await engine.close();',
  ].join('\n');
}
