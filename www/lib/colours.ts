/**
 * Colours of the pictures. The diverging map goes from blue over the page's own ground to orange, the pair told apart
 * with every common kind of colour blindness; lightness changes evenly with the size of the value, so that it also
 * reads in grey. Anchors are mixed in OKLab (Björn Ottosson, 2020), where equal steps look equal.
 */
export type Theme = 'light' | 'dark';

const ANCHORS: Record<Theme, readonly string[]> = {
  light: [
    '#0d3f8f',
    '#2a6fbd',
    '#6fa8de',
    '#bcd8f0',
    '#f4f3f0',
    '#fad9b0',
    '#ee9f4e',
    '#cf6a12',
    '#963c02',
  ],
  dark: [
    '#a5d2ff',
    '#6aaaf0',
    '#3478bf',
    '#1e4672',
    '#1d2024',
    '#68401c',
    '#b5691a',
    '#ee9c40',
    '#ffcb85',
  ],
};

const STEPS = 512;

/** The diverging map of each theme as red, green, blue bytes, [STEPS + 1, 3], from −1 to +1. */
const TABLES: Record<Theme, Uint8ClampedArray> = {
  light: tableOf(ANCHORS.light),
  dark: tableOf(ANCHORS.dark),
};

function tableOf(colours: readonly string[]): Uint8ClampedArray {
  const anchors = colours.map(oklabOf);
  const table = new Uint8ClampedArray(3 * (STEPS + 1));
  for (let n = 0; n <= STEPS; n++) {
    const place = (n / STEPS) * (anchors.length - 1);
    const low = Math.min(Math.floor(place), anchors.length - 2);
    table.set(rgbOf(mix(anchors[low] as Triple, anchors[low + 1] as Triple, place - low)), 3 * n);
  }
  return table;
}

function stepOf(value: number, limit: number): number {
  const share = Math.max(-1, Math.min(1, value / limit));
  return Math.round((share + 1) * 0.5 * STEPS);
}

/** The colour of a value on the scale −limit … +limit, as CSS. */
export function divergingColour(value: number, limit: number, theme: Theme): string {
  const table = TABLES[theme];
  const start = 3 * stepOf(value, limit);
  return `rgb(${table[start]} ${table[start + 1]} ${table[start + 2]})`;
}

/** Paints row-major values as red, green, blue, opaque bytes, one pixel a value. */
export function paintDiverging(
  values: ArrayLike<number>,
  limit: number,
  theme: Theme,
  pixels: Uint8ClampedArray,
): void {
  const table = TABLES[theme];
  for (let n = 0; n < values.length; n++) {
    const start = 3 * stepOf(values[n] as number, limit);
    pixels[4 * n] = table[start] as number;
    pixels[4 * n + 1] = table[start + 1] as number;
    pixels[4 * n + 2] = table[start + 2] as number;
    pixels[4 * n + 3] = 255;
  }
}

/** Paper and ink of black-and-white pictures. */
const INK: Record<Theme, [paper: Triple, ink: Triple]> = {
  light: [
    [255, 255, 255],
    [22, 24, 29],
  ],
  dark: [
    [29, 32, 36],
    [240, 238, 232],
  ],
};

/** The same as CSS, and of bits that are not as they should be: paper where there should be ink, and ink where not. */
export const INK_COLOURS: Record<
  Theme,
  { paper: string; ink: string; missing: string; wrong: string }
> = {
  light: { paper: '#ffffff', ink: '#16181d', missing: '#f6c694', wrong: '#c2600c' },
  dark: { paper: '#1d2024', ink: '#f0eee8', missing: '#6b4118', wrong: '#f0a04e' },
};

/** Paints row-major values, from 0 for paper to 1 for ink, as red, green, blue, opaque bytes, one pixel a value. */
export function paintInk(values: ArrayLike<number>, theme: Theme, pixels: Uint8ClampedArray): void {
  const [paper, ink] = INK[theme];
  for (let n = 0; n < values.length; n++) {
    const [r, g, b] = mix(paper, ink, values[n] as number);
    pixels.set([r, g, b, 255], 4 * n);
  }
}

/** Paints row-major values, from 0 for black to 1 for white whatever the theme: photographs. */
export function paintGrey(values: ArrayLike<number>, pixels: Uint8ClampedArray): void {
  for (let n = 0; n < values.length; n++) {
    const level = 255 * (values[n] as number);
    pixels[4 * n] = level;
    pixels[4 * n + 1] = level;
    pixels[4 * n + 2] = level;
    pixels[4 * n + 3] = 255;
  }
}

/** The smallest of the steps, times a power of ten, that is not less than the value: a limit that reads well. */
export function niceLimit(value: number, steps = [1, 2, 3, 4, 5, 6, 8]): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = steps.find((candidate) => candidate * power >= value * (1 - 1e-12)) ?? 10;
  return Number((step * power).toPrecision(3));
}

type Triple = [number, number, number];

function mix(a: Triple, b: Triple, share: number): Triple {
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])];
}

function oklabOf(hex: string): Triple {
  const [r, g, b] = [1, 3, 5].map((n) => {
    const share = Number.parseInt(hex.slice(n, n + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Triple;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function rgbOf([lightness, a, b]: Triple): Triple {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(
    (share) => 255 * (share <= 0.0031308 ? 12.92 * share : 1.055 * share ** (1 / 2.4) - 0.055),
  ) as Triple;
}

/** A colour of styles.css, `#rrggbb` or, as the build shortens it, `#rgb`, as red, green and blue bytes. */
export function bytesOf(hex: string): [number, number, number] {
  const digits =
    hex.length === 4 ? [...hex.slice(1)].map((digit) => digit + digit).join('') : hex.slice(1);
  const at = (start: number) => Number.parseInt(digits.slice(start, start + 2), 16) || 0;
  return [at(0), at(2), at(4)];
}

/** The same colour, seen through to that which is under it. */
export function withOpacity(hex: string, opacity: number): string {
  return `rgb(${bytesOf(hex).join(' ')} / ${opacity})`;
}
