/**
 * `npm start [-- --port N]`: sets up and builds whatever is missing or stale, then serves the site.
 */
import { build, siteFolder } from './build.mjs';
import { Failure, main } from './run.mjs';
import { serve } from './serve.mjs';

await main(import.meta.url, async (args) => {
  const position = args.indexOf('--port');
  const port = position < 0 ? 4173 : Number(args[position + 1]);
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw new Failure('--port takes a number from 0 to 65535.');
  }
  await build();
  const { url, close } = await serve(siteFolder, { port });
  console.log(`\n  unnorm is at ${url}   (Ctrl+C stops it)\n`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => close());
});
