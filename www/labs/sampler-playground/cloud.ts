import type { Window } from '../../lib/plane-targets.js';
import type { Lane } from './lane.svelte.js';

/** Strength of a point of the newest step, and of one so weak that it is not there. */
const FULL = 255;
const FAINTEST = 8;

/** Points, about, that are seen at once: what fades sooner where there are more chains. */
const POINTS_SEEN = 1500;

/**
 * The newest draws of all chains as points that fade, step by step. One byte of strength a pixel: a thousand chains
 * are a thousand small stamps, and one pass over the picture.
 */
export class Cloud {
  readonly canvas = document.createElement('canvas');
  #strength = new Uint8Array();
  #image: ImageData | undefined;
  /** Steps drawn, and of which lane. */
  #drawn = 0;
  #values: Float64Array | undefined;
  #window: Window | undefined;

  /** Gives the canvas so many pixels; what was drawn goes. */
  resize(size: number): void {
    if (this.canvas.width === size && this.#image) return;
    this.canvas.width = size;
    this.canvas.height = size;
    this.#strength = new Uint8Array(size * size);
    this.#image = this.canvas.getContext('2d')?.createImageData(size, size);
    this.clear();
  }

  clear(): void {
    this.#strength.fill(0);
    this.#drawn = 0;
  }

  /** Brings the picture to the first `numSteps` steps of the lane, in a colour of red, green and blue bytes. */
  draw(
    lane: Lane,
    numSteps: number,
    window: Window,
    colour: readonly number[],
    ratio: number,
  ): void {
    const { numChains, values } = lane;
    if (values !== this.#values || window !== this.#window || numSteps < this.#drawn) this.clear();
    this.#values = values;
    this.#window = window;
    const halfLife = Math.max(0.7, POINTS_SEEN / 4 / Math.max(1, numChains));
    const longest = Math.ceil(halfLife * Math.log2(FULL / FAINTEST));
    const numNew = numSteps - this.#drawn;
    if (numNew > 0) {
      this.#fade(2 ** (-numNew / halfLife));
      const stamp = stampOf(
        numChains > 200 ? 1.1 * ratio : numChains > 20 ? 1.5 * ratio : 2.2 * ratio,
      );
      for (let step = Math.max(this.#drawn, numSteps - longest); step < numSteps; step++) {
        const age = numSteps - 1 - step;
        this.#stampAll(
          values,
          step * numChains,
          numChains,
          FULL * 2 ** (-age / halfLife),
          window,
          stamp,
        );
      }
      this.#drawn = numSteps;
    }
    this.#paint(colour);
  }

  #fade(factor: number): void {
    const strength = this.#strength;
    const table = Uint8Array.from({ length: 256 }, (_, n) =>
      n * factor < FAINTEST ? 0 : n * factor,
    );
    for (let pixel = 0; pixel < strength.length; pixel++) {
      const old = strength[pixel] as number;
      if (old > 0) strength[pixel] = table[old] as number;
    }
  }

  #stampAll(
    values: Float64Array,
    first: number,
    count: number,
    value: number,
    { centre, reach }: Window,
    stamp: readonly (readonly [number, number])[],
  ): void {
    const size = this.canvas.width;
    const strength = this.#strength;
    const scale = size / (2 * reach);
    const left = centre[0] - reach;
    const top = centre[1] + reach;
    for (let n = first; n < first + count; n++) {
      const x = Math.floor(((values[2 * n] as number) - left) * scale);
      const y = Math.floor((top - (values[2 * n + 1] as number)) * scale);
      if (!(x > -4 && y > -4 && x < size + 4 && y < size + 4)) continue;
      for (const [across, down] of stamp) {
        const column = x + across;
        const row = y + down;
        if (column < 0 || row < 0 || column >= size || row >= size) continue;
        const pixel = row * size + column;
        if ((strength[pixel] as number) < value) strength[pixel] = value;
      }
    }
  }

  #paint([red = 0, green = 0, blue = 0]: readonly number[]): void {
    const image = this.#image;
    if (!image) return;
    // Bytes in memory are red, green, blue, opacity on the little-endian machines that browsers run on.
    const pixels = new Uint32Array(image.data.buffer);
    const base = (blue << 16) | (green << 8) | red;
    const strength = this.#strength;
    for (let pixel = 0; pixel < strength.length; pixel++) {
      pixels[pixel] = ((strength[pixel] as number) << 24) | base;
    }
    this.canvas.getContext('2d')?.putImageData(image, 0, 0);
  }
}

/** The pixels of a disc about a pixel. */
function stampOf(radius: number): [number, number][] {
  const reach = Math.floor(radius);
  const stamp: [number, number][] = [];
  for (let down = -reach; down <= reach; down++) {
    for (let across = -reach; across <= reach; across++) {
      if (across ** 2 + down ** 2 <= radius ** 2) stamp.push([across, down]);
    }
  }
  return stamp;
}
