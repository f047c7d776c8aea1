import type { PatchChoice } from './choice.js';
import { addressOf } from './photographs.js';

/** Lines that give the pictures of a choice, as `engine.patches` takes them. */
export function picturesCode({
  source,
  photographs,
}: Pick<PatchChoice, 'source' | 'photographs'>): string[] {
  if (source === 'own') {
    return [
      '// Your pictures, grey: pixels is a Uint8Array of width × height levels, row by row.',
      'const pictures = [{ width, height, pixels }];',
    ];
  }
  return [
    '/** The levels of grey of a picture at an address. */',
    'async function greys(address) {',
    '  const file = await (await fetch(address)).blob();',
    "  const image = await createImageBitmap(file, { colorSpaceConversion: 'none' });",
    '  const { width, height } = image;',
    "  const context = new OffscreenCanvas(width, height).getContext('2d');",
    '  context.drawImage(image, 0, 0);',
    '  const { data } = context.getImageData(0, 0, width, height);',
    '  const pixels = Uint8Array.from({ length: width * height }, (_, n) => data[4 * n]);',
    '  return { width, height, pixels };',
    '}',
    '',
    'const addresses = [',
    ...photographs.map((id) => `  '${addressOf(id)}',`),
    '];',
    'const pictures = await Promise.all(addresses.map(greys));',
  ];
}
