/** A reporter for Node's test runner: a line of JSON, `{ file, name }`, for each test that failed by itself. */
export default async function* failures(source) {
  for await (const { type, data } of source) {
    if (type !== 'test:fail') continue;
    // A test fails with its subtests, which have lines of their own.
    if (data.details?.error?.failureType === 'subtestsFailed') continue;
    yield `${JSON.stringify({ file: data.file ?? data.name, name: data.name })}\n`;
  }
}
