/** Models from arguments: the name of a kind, or a file with a model. */

import { type Fields, isObject } from '../checks.js';
import { readJson } from '../formats/json.js';
import { readNpy } from '../formats/npy.js';
import { startsWith } from '../formats/refusal.js';
import { readZip } from '../formats/zip.js';
import { Failure, naming } from './failure.js';
import { nameOf, readBytes } from './files.js';
import { isKind, KINDS } from './kinds.js';
import { setField } from './set.js';

/** The member of an .npz file with everything except the arrays. */
export const REST = 'unnorm.json';

const KINDS_LIST = Object.keys(KINDS).join(', ');

/** The model that an argument names, as plain data. */
export async function readModel(argument: string): Promise<Fields> {
  if (isKind(argument)) return { kind: argument };
  if (/^\w+$/.test(argument)) {
    throw new Failure(
      `${argument}: is no kind of model; give one of ${KINDS_LIST}, or a file (./${argument})`,
    );
  }
  const name = nameOf(argument);
  const bytes = await readBytes(argument);
  const model = await naming(name, ['bytes'], () => modelOf(bytes, name));
  // A model of this kind is a program, which nobody expects in a file of numbers.
  if (model['kind'] === 'custom') {
    throw new Failure(
      `${name}: has a custom model, whose module would be run; if you trust it, give the kind ` +
        'custom in place of the file, with --set model.dim=D --set model.url=MODULE',
    );
  }
  return model;
}

async function modelOf(bytes: Uint8Array, name: string): Promise<Fields> {
  if (startsWith(bytes, 'PK')) return modelOfArchive(await readZip(bytes), name);
  if (startsWith(bytes, '\x93NUMPY')) {
    throw new Failure(
      `${name}: is one array and no model; give a .json or .npz file, or a kind of model with ` +
        `--set model.PARAMETER=@${name}`,
    );
  }
  return modelIn(readJson(bytes), name);
}

/** A model, or the model of a result, from this command or saved by a lab of the site. */
function modelIn(json: unknown, name: string): Fields {
  const inner = isObject(json) && isObject(json['model']) ? json['model'] : json;
  if (isObject(inner) && isKind(inner['kind'])) return inner;
  throw new Failure(
    `${name}: has no model; what fit -o writes has one, and { "kind": … } with one of ${KINDS_LIST} is one`,
  );
}

function modelOfArchive(members: Map<string, Uint8Array>, name: string): Fields {
  const rest = members.get(REST);
  if (!rest) throw new Failure(`${name}: has no model: ${REST} is missing in it`);
  const json = readJson(rest);
  for (const [member, bytes] of members) {
    const path = /^(model\..+)\.npy$/.exec(member)?.[1];
    if (path && isObject(json)) setField(json, path, readNpy(bytes).values);
  }
  return modelIn(json, name);
}
