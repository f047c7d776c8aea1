/** Code in a link: compressed by the browser, in the letters that an address may have. */

/** The most characters of code that a link may hold. */
const MAX_CODE = 100_000;

/** Where a link says that it has code. */
const NAME = 'code';

/** The part of an address behind # that has code for a block, by the block's number on its page, from 1. */
export async function codeHash(block: number, code: string): Promise<string> {
  const stream = new Blob([code]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const letters = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `#${NAME}=${block}.${letters}`;
}

/** The address of code that is no block of the documentation: the guide's first block shows it. From the page of a lab. */
export async function playgroundLink(code: string): Promise<string> {
  return new URL(`../../docs/guides/live-code/${await codeHash(1, code)}`, location.href).href;
}

/** What such a part says; undefined if there is no code in it. Rejects what cannot be read or is too long. */
export async function codeFromHash(
  hash: string,
): Promise<{ block: number; code: string } | undefined> {
  const [, block, letters] = new RegExp(`^#${NAME}=(\\d{1,4})\\.([\\w-]*)$`).exec(hash) ?? [];
  if (block === undefined || letters === undefined) {
    if (hash.startsWith(`#${NAME}=`)) throw new Error('The code in the link cannot be read.');
    return undefined;
  }
  return { block: Number(block), code: await inflated(letters) };
}

async function inflated(letters: string): Promise<string> {
  const parts: string[] = [];
  let length = 0;
  try {
    const binary = atob(letters.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
    const reader = new Blob([bytes])
      .stream()
      .pipeThrough(new DecompressionStream('deflate-raw'))
      .pipeThrough(new TextDecoderStream())
      .getReader();
    // Bit by bit, since a short link may hold a very long text.
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length;
      if (length > MAX_CODE) {
        void reader.cancel();
        break;
      }
      parts.push(part.value);
    }
  } catch {
    throw new Error('The code in the link cannot be read; it may have been cut off.');
  }
  if (length > MAX_CODE)
    throw new Error(`The code in the link is longer than ${MAX_CODE} characters.`);
  return parts.join('');
}
