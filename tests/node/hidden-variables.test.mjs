/** Draws of the hidden variables of a table, through the package, against the exact posterior. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEngine } from './package.mjs';

const states = Float64Array.of(2.1, -2.0, 1.8, -2.3, 0.3, -0.4, -2.2, 1.7, -1.7, 2.0, -2.1, 1.4);
const model = {
  kind: 'clustering',
  dim: 2,
  numClusters: 2,
  variances: { kind: 'fixed', signal: 9, noise: 2 },
  states,
};
const chains = { numChains: 4, numWarmup: 200, numDraws: 4000, seed: 1 };
const spec = { model, transition: { kind: 'gibbs' }, ...chains };

test('draws share clusters as often as all partitions say, with any number of workers', async () => {
  const digests = [];
  for (const numWorkers of [1, 3]) {
    const engine = await createEngine({ numWorkers });
    const result = await engine.sample(spec);
    const { table, method, logZ } = await engine.exact({ model });
    await engine.close();
    digests.push(result.digest);
    assert.equal(method, 'enumeration');
    assert.ok(Number.isFinite(logZ));
    assert.deepEqual(result.warnings, []);
    // The array of the caller is still theirs.
    assert.equal(states.length, 12);
    for (const values of Object.values(result.draws)) {
      assert.ok(typeof values === 'number' || values instanceof Float64Array);
    }
    assert.equal(result.draws.hidden.length, 4 * 4000 * 6);
    assert.equal(result.draws.features.length, 4 * 4000 * 2 * 2);
    assert.equal(result.sameCluster.length, 36);
    // Of 16,000 draws a share has an error of 0.004 at most, were they independent.
    result.sameCluster.forEach((share, at) => {
      assert.ok(Math.abs(share - table.sameCluster[at]) < 0.05, `${at}: ${share}`);
    });
    result.reconstruction.mean.forEach((mean, at) => {
      assert.ok(Math.abs(mean - table.reconstruction.mean[at]) < 0.1, `${at}: ${mean}`);
      const sd = table.reconstruction.sd[at];
      assert.ok(Math.abs(result.reconstruction.sd[at] - sd) < 0.1 * sd, `${at}`);
    });
    assert.ok(Math.abs(result.summary.numInUse.mean - table.numInUse) < 0.05);
    assert.ok(result.summary.logJoint.rhat < 1.01);
    assert.equal(result.summary.noiseVariance, undefined);
  }
  assert.equal(digests[0], digests[1]);
});

test('progress has states, and a job goes on from its checkpoint', async () => {
  const engine = await createEngine({ numWorkers: 2 });
  const long = { ...spec, numDraws: 20_000 };
  const whole = await engine.sample(long);
  const handle = engine.sample(long, { streamDraws: true, progressInterval: 0 });
  let checkpoint;
  let numSeen = 0;
  for await (const { newDraws } of handle) {
    if (!newDraws || newDraws.numDraws === 0) continue;
    assert.equal(newDraws.dim, 6 + 4 + 2);
    assert.equal(newDraws.values.length, newDraws.numDraws * 4 * newDraws.dim);
    assert.equal(newDraws.energies.length, newDraws.numDraws * 4);
    const at = newDraws.firstDraw * 4;
    assert.equal(-newDraws.energies[0], whole.draws.logJoint[at]);
    assert.equal(newDraws.values[0], whole.draws.hidden[at * 6]);
    numSeen += newDraws.numDraws;
    checkpoint ??= await handle.checkpoint();
  }
  assert.ok(numSeen > 0);
  const resumed = await engine.sample(long, { resumeFrom: checkpoint });
  assert.equal(resumed.digest, whole.digest);
  await engine.close();
});

test('verbs that want an energy say which verbs take these models', async () => {
  const engine = await createEngine({ numWorkers: 1 });
  await assert.rejects(engine.logZ({ model, numChains: 2, numDistributions: 2 }), {
    code: 'invalid-spec',
    field: 'model.kind',
    message: /`sample`.*`exact`.*`evidence`/,
  });
  await assert.rejects(engine.sample({ ...spec, transition: { kind: 'nuts' } }), {
    field: 'transition.kind',
    message: /say gibbs/,
  });
  await engine.close();
});
