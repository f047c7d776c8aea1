/**
 * The package under test, as someone who installed it has it: packed and unpacked by the build.
 */
export * from '../../out/pack/unnorm.mjs';

/** The same, for programs that tests run in processes of their own. */
export const entry = new URL('../../out/pack/unnorm.mjs', import.meta.url);

/** The folder of the compiled modules. */
export const dist = new URL('../../out/pack/node_modules/unnorm/dist/', import.meta.url);

/** What 'unnorm/formats' exports. */
export * as formats from '../../out/pack/node_modules/unnorm/dist/formats/index.js';
