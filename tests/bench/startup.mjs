// How long the site's pages take until they are of use, from an empty cache over a slow line: milliseconds, requests
// and bytes until the first picture is drawn and the controls answer (see tests/browser/startup-measured.mjs).
//
//   node tests/bench/startup.mjs [-- --json] [--line slow4G|lighthouse] [--rounds 3] [--only annealing]
//
// Medians over the rounds. With --json standard output is one object, { line, rows: [{ page, milliseconds, requests, bytes }] }.
import { parseArgs } from 'node:util';
import { siteFolder } from '../../src/tools/build.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { sitePages } from '../browser/site-under-test.mjs';
import { LINES, openMeter } from '../browser/startup-measured.mjs';

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    files: { type: 'boolean', default: false },
    line: { type: 'string', default: 'slow4G' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
  },
});
const line = LINES[values.line];
const numRounds = Number(values.rounds);
if (!line || !(Number.isInteger(numRounds) && numRounds > 0)) {
  console.error(
    `--line is one of ${Object.keys(LINES).join(', ')}; --rounds a whole number above 0.`,
  );
  process.exit(2);
}

const paths = sitePages().filter((path) => path.includes(values.only));
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const server = await serve(siteFolder);
const meter = await openMeter();
const rows = [];
try {
  for (const path of paths) {
    const measured = [];
    for (let n = 0; n < numRounds; n++) measured.push(await meter.measure(server.url + path, line));
    const row = { page: `/${path}` };
    for (const name of ['milliseconds', 'requests', 'bytes']) {
      row[name] = median(measured.map((one) => one[name]));
    }
    rows.push(row);
    if (!values.json)
      console.log(
        `${row.page.padEnd(30)} ${String(row.milliseconds).padStart(6)} ms ${String(row.requests).padStart(4)} requests ${(row.bytes / 1000).toFixed(1).padStart(8)} kB`,
      );
    if (values.files)
      for (const { file, bytes, at } of measured[0].files)
        console.log(`    ${at.toFixed(0).padStart(6)} ms ${String(bytes).padStart(8)} ${file}`);
  }
} finally {
  await meter.close();
  await server.close();
}
if (values.json) console.log(JSON.stringify({ line: { name: values.line, ...line }, rows }));
