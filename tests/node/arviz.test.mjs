/** ArviZ itself reads our draws, and finds the same R-hat and effective numbers of draws in them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Failure, output } from '../../src/tools/run.mjs';
import { pythonOfTests } from '../../src/tools/wheel.mjs';
import { createEngine, formats } from './package.mjs';

const SCRIPT = `
import json, sys, warnings
warnings.filterwarnings('ignore')
import arviz
data = arviz.from_json(sys.argv[1])
x = data.posterior['x']
columns = arviz.summary(data, var_names=['x'], round_to='none').to_dict('list')
print(json.dumps({
    'shape': x.shape,
    'draw': x.values[1, 2].tolist(),
    'lp': float(data.sample_stats['lp'].values[1, 2]),
    'stepSize': data.sample_stats['step_size'].values[:, 0].tolist(),
    'digest': data.posterior.attrs['digest'],
    **{name: columns[name] for name in ['mean', 'sd', 'mcse_mean', 'mcse_sd', 'ess_bulk', 'ess_tail', 'r_hat']},
}))
`;

/** A Python with ArviZ, or a note of why there is none: it needs PyPI, which a machine may not have. */
function arviz() {
  try {
    return { python: pythonOfTests(), skip: false };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { skip: `ArviZ is not to be had here: ${error.message}` };
  }
}

const { python, skip } = arviz();

test('ArviZ reads the draws and agrees on what they are worth', { skip }, async () => {
  const engine = await createEngine({ numWorkers: 1 });
  const folder = mkdtempSync(join(tmpdir(), 'unnorm-'));
  try {
    const result = await engine.sample({
      model: { kind: 'banana' },
      transition: { kind: 'nuts' },
      numChains: 4,
      numWarmup: 300,
      numDraws: 500,
      seed: 1,
    });
    const [script, file] = ['summary.py', 'draws.json'].map((name) => join(folder, name));
    writeFileSync(script, SCRIPT);
    writeFileSync(file, formats.writeArviz(result));
    const found = JSON.parse(output(python, [script, file], { loud: true }));
    const { draws, energies, summary, chains, digest } = result;
    assert.deepEqual(found.shape, [4, 500, 2]);
    // Draw 2 of chain 1.
    assert.deepEqual(found.draw, [...draws.values.subarray(2 * (2 * 4 + 1), 2 * (2 * 4 + 2))]);
    assert.equal(found.lp, -energies[2 * 4 + 1]);
    assert.deepEqual(found.stepSize, [...chains.stepSize]);
    assert.equal(found.digest, digest);
    const names = { mean: 'mean', sd: 'sd', mcseMean: 'mcse_mean', mcseSd: 'mcse_sd' };
    const more = { essBulk: 'ess_bulk', essTail: 'ess_tail', rhat: 'r_hat' };
    for (const [ours, theirs] of Object.entries({ ...names, ...more })) {
      for (const [at, value] of summary[ours].entries()) {
        const difference = Math.abs(value / found[theirs][at] - 1);
        assert.ok(difference < 1e-9, `${ours} of x[${at}]: ${value}, ArviZ ${found[theirs][at]}`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
    await engine.close();
  }
});
