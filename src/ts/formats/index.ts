/**
 * `unnorm/formats`: converts arrays and draws from and to the bytes of files, in browsers and in
 * Node. Nothing here needs an engine.
 */

export { type ArvizOptions, writeArviz } from './arviz.js';
export { packBits, unpackBits } from './bits.js';
export { readCsv, writeCsv } from './csv.js';
export { type Alignment, AMINO_ACIDS, type FastaOptions, readFasta } from './fasta.js';
export { readJson, writeJson } from './json.js';
export { type NumericArray, type NumericValues, readNpy, writeNpy } from './npy.js';
export { readNpz, writeNpz } from './npz.js';
export { packValues, unpackValues } from './values.js';
