/** What the first program of the guide gives in Node, to which every environment is compared. */
import { createEngine } from '../node/package.mjs';
import { sharedFiles } from './guide.mjs';

const source = encodeURIComponent(sharedFiles.get('hello.js'));
const { hello } = await import(`data:text/javascript,${source}`);

const engine = await createEngine();
export const expected = await hello(engine);
await engine.close();
