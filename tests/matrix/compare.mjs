/** What the environments came to, side by side. */

/**
 * Jobs whose digests are not all the same: `{ name, seed, digests }`, where `digests` has the names of the environments
 * by what they came to. A digest that was written down counts as an environment's.
 * @param results `[{ name, digests }]`, a digest for each job
 */
export function differencesOf(jobs, results) {
  return jobs.flatMap(({ name, seed, digest }, at) => {
    const digests = {};
    const note = (found, environment) => {
      const key = found || 'none';
      digests[key] = [...(digests[key] ?? []), environment];
    };
    if (digest !== undefined) note(digest, 'tests/golden');
    for (const { name: environment, digests: found } of results) note(found[at], environment);
    // What every environment refuses alike is no digest either.
    const isDigest = (text) => /^[0-9a-f]{64}$/.test(text);
    const texts = Object.keys(digests);
    return texts.length === 1 && isDigest(texts[0]) ? [] : [{ name, seed, digests }];
  });
}

/** A difference in words. */
export function describeDifference({ name, seed, digests }) {
  const sides = Object.entries(digests).map(([digest, environments]) => {
    const short = /^[0-9a-f]{64}$/.test(digest) ? digest.slice(0, 16) : digest;
    return `    ${short}  ${environments.join('; ')}`;
  });
  return [`${name}, ${seed === null ? 'no seed' : `seed ${seed}`}:`, ...sides].join('\n');
}

/** What a job comes to: what is written down or, if nothing is, what most environments say. */
function expectedOf({ digest }, found) {
  if (digest !== undefined) return digest;
  const votes = (candidate) => found.filter((other) => other === candidate).length;
  return found.reduce((best, candidate) => (votes(candidate) > votes(best) ? candidate : best));
}

/** A row for each environment: how many of the jobs of each verb came to what they should. */
export function tableOf(jobs, results) {
  const verbs = [...new Set(jobs.map(({ spec }) => spec.verb))];
  const expected = jobs.map((job, at) =>
    expectedOf(
      job,
      results.map(({ digests }) => digests[at]),
    ),
  );
  const cell = (verb, digests) => {
    const own = jobs.map((_, at) => at).filter((at) => jobs[at].spec.verb === verb);
    return `${own.filter((at) => digests[at] === expected[at]).length}/${own.length}`;
  };
  const head = ['environment', ...verbs, 'helped', 'seconds'];
  const rows = results.map(({ name, digests, numHelpers, seconds }) => [
    name,
    ...verbs.map((verb) => cell(verb, digests)),
    numHelpers === null ? '–' : String(numHelpers),
    seconds.toFixed(1),
  ]);
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at].length)));
  const line = (row) =>
    row
      .map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at])))
      .join('  ');
  return [head, ...rows].map(line).join('\n');
}
