/** An empty page beside the files of a server, for tests of the package without a site around it. */
import { isolation } from '../../src/tools/serve.mjs';

/** Opens it in `page`; by default it is isolated, so that it may have threads over shared memory. */
export async function openEmptyPage(page, server, headers = isolation) {
  await page.route('**/empty.html', (route) =>
    route.fulfill({ contentType: 'text/html', headers, body: '<!doctype html>' }),
  );
  await page.goto(`${server.url}empty.html`);
}
