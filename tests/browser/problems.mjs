/**
 * What ought not to happen in a page, noted from now on: errors, warnings, failed requests, and requests to anywhere else.
 * `isHere` says of an address whether it is the server under test; `isExpected` of a message or an address that it does
 * not count.
 */
export function problemsOf(page, { isHere, isExpected }) {
  const problems = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    if (!isExpected(message.text()) && !isExpected(message.location().url))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('requestfailed', (request) => {
    // Not a failure: an engine that closes ends its workers, also one whose script is still loading.
    const { errorText } = request.failure();
    if (errorText !== 'net::ERR_ABORTED') problems.push(`${errorText}: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !isExpected(response.url()))
      problems.push(`${response.status()}: ${response.url()}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!isHere(url) && !/^(blob|data):/.test(url)) problems.push(`foreign: ${url}`);
  });
  return problems;
}
