/**
 * ZIP archives to the extent that .npz files need: whole in memory, below 4 GiB, not encrypted
 * (PKWARE's APPNOTE 6.3). Members are written uncompressed, like `numpy.savez`, so that the same
 * arrays give the same bytes on every machine; those of `numpy.savez_compressed` can be read too.
 *
 * The platform inflates compressed members, wrapped as gzip, which checks their length and
 * checksum. Only the container is read here. A library such as fflate checks no checksums, and
 * would be the package's only dependency, which a page without a bundler could not resolve.
 */

import { joined } from './bytes.js';
import { refused, startsWith } from './refusal.js';

/** Maximum number of unpacked bytes of all members of an archive together. */
const MAX_UNPACKED = 2 ** 30;
const MAX_MEMBERS = 10_000;
/** The maximum compression ratio of deflate: its shortest code, two bits, stands for 258 bytes. */
const MAX_RATIO = 1032;
const MAX_SIZE = 2 ** 32 - 1;
const END_SIZE = 22;
const MAX_COMMENT = 65_535;
const UTF8_NAMES = 1 << 11;
/** 1 January 1980, the earliest date in ZIP. */
const DATE = (1 << 5) | 1;
const DAMAGED = 'is a damaged ZIP archive';

/** The members of an archive, by name. Throws an `UnnormError` of code 'invalid-data'. */
export async function readZip(bytes: Uint8Array): Promise<Map<string, Uint8Array>> {
  if (!startsWith(bytes, 'PK')) throw refused('is not a ZIP archive, as .npz files are');
  const members = directoryOf(bytes);
  let total = 0;
  for (const { size } of members) total += size;
  if (total > MAX_UNPACKED) {
    throw refused(`unpacks to ${total} bytes, of which at most ${MAX_UNPACKED} can be read`);
  }
  const contents = new Map<string, Uint8Array>();
  for (const member of members) {
    if (contents.has(member.name)) throw refused(`${DAMAGED}: it has '${member.name}' twice`);
    contents.set(member.name, await contentOf(bytes, member));
  }
  return contents;
}

/** An archive of members, in the order of the map. */
export function writeZip(members: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
  const local: Uint8Array[] = [];
  const central: Uint8Array[] = [];
  let offset = 0;
  for (const [name, content] of members) {
    const encoded = new TextEncoder().encode(name);
    const crc = crc32(content);
    const common = [u16(20), u16(UTF8_NAMES), u16(0), u16(0), u16(DATE), u32(crc)];
    const sizes = [u32(content.length), u32(content.length), u16(encoded.length), u16(0)];
    local.push(u32(0x04034b50), ...common, ...sizes, encoded, content);
    const rest = [u16(0), u16(0), u16(0), u32(0), u32(offset)];
    central.push(u32(0x02014b50), u16(20), ...common, ...sizes, ...rest, encoded);
    offset += 30 + encoded.length + content.length;
  }
  if (offset > MAX_SIZE || members.size > MAX_MEMBERS) {
    throw refused('is too much for one .npz file; write several', 'arrays');
  }
  const directory = joined(central);
  const counts = [u16(members.size), u16(members.size)];
  const end = [u32(0x06054b50), u16(0), u16(0), ...counts, u32(directory.length), u32(offset)];
  return joined([...local, directory, ...end, u16(0)]);
}

interface Member {
  name: string;
  method: number;
  crc: number;
  packedSize: number;
  size: number;
  offset: number;
}

function directoryOf(bytes: Uint8Array): Member[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) {
    end = end > bytes.length - END_SIZE - MAX_COMMENT ? end - 1 : -1;
  }
  if (end < 0) throw refused('is cut off: the directory at the end of the ZIP archive is missing');
  const numMembers = view.getUint16(end + 10, true);
  let at = view.getUint32(end + 16, true);
  if (at === MAX_SIZE || numMembers > MAX_MEMBERS) {
    throw refused('is too large a ZIP archive; split the file');
  }
  const members: Member[] = [];
  for (let n = 0; n < numMembers; n++) {
    if (at + 46 > end || view.getUint32(at, true) !== 0x02014b50) throw refused(DAMAGED);
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const [crc, packedSize, size] = [16, 20, 24].map((n) => view.getUint32(at + n, true));
    const lengths = [28, 30, 32].map((n) => view.getUint16(at + n, true));
    const next = at + 46 + lengths.reduce((sum, length) => sum + length, 0);
    if (next > end) throw refused(DAMAGED);
    const encoded = bytes.subarray(at + 46, at + 46 + (lengths[0] as number));
    const name = new TextDecoder().decode(encoded);
    if (flags & 1) throw refused(`is an encrypted ZIP archive; save it without a password`);
    if (method !== 0 && method !== 8) {
      throw refused(`packs '${name}' by method ${method}; save it with numpy.savez`);
    }
    if (size === MAX_SIZE || packedSize === MAX_SIZE) {
      throw refused('is too large a ZIP archive; split the file');
    }
    const offset = view.getUint32(at + 42, true);
    members.push({ name, method, crc, packedSize, size, offset } as Member);
    at = next;
  }
  return members;
}

async function contentOf(bytes: Uint8Array, member: Member): Promise<Uint8Array> {
  const { name, method, crc, packedSize, size, offset } = member;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (offset + 30 > bytes.length || view.getUint32(offset, true) !== 0x04034b50) {
    throw refused(DAMAGED);
  }
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  if (start + packedSize > bytes.length) throw refused(`is cut off inside '${name}'`);
  // Before memory is allocated.
  if (size > (method === 0 ? packedSize : MAX_RATIO * packedSize)) {
    throw refused(`${DAMAGED}: '${name}' claims ${size} bytes, more than ${packedSize} can hold`);
  }
  const packed = bytes.subarray(start, start + packedSize);
  const content = method === 0 ? packed.slice() : await inflate(packed, member);
  if (content?.length !== size || crc32(content) !== crc) {
    throw refused(`${DAMAGED}: '${name}' does not match its checksum`);
  }
  return content;
}

/** Inflates a member, and stops if it is larger than it claims; undefined if it is damaged. */
async function inflate(packed: Uint8Array, { crc, size }: Member): Promise<Uint8Array | undefined> {
  const head = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
  const gzip = new Blob([head, packed as Uint8Array<ArrayBuffer>, u32(crc), u32(size)]);
  const reader = gzip.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  const content = new Uint8Array(size);
  let length = 0;
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const piece = value as Uint8Array;
      if (length + piece.length > size) {
        await reader.cancel();
        return undefined;
      }
      content.set(piece, length);
      length += piece.length;
    }
  } catch {
    return undefined;
  }
  return length === size ? content : undefined;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let n = 0; n < bytes.length; n++) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ (bytes[n] as number)) & 255] as number);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function u16(value: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(value & 255, value >> 8);
}

function u32(value: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24);
}
