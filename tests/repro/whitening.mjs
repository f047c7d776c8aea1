// Pictures blurred and whitened in the way of Olshausen and Field (1996): amplitudes at frequency f are multiplied by
// f exp(−(f / f₀)⁴), which flattens the spectrum of natural scenes and takes away its highest frequencies.

/** Pixels of the side that is taken from the middle of a picture. */
const SIZE = 320;

/** f₀ in cycles a pixel: 200 cycles for the 512 pixels of their pictures. */
const CUTOFF = 200 / 512;

/** Cosine and sine at whole multiples of 2π / SIZE. */
const TURNS = Array.from({ length: SIZE }, (_, at) => (2 * Math.PI * at) / SIZE);
const [COS, SIN] = [TURNS.map(Math.cos), TURNS.map(Math.sin)];

/** Discrete Fourier transforms of the columns of a complex SIZE × SIZE matrix, transposed; `sign` is −1 for the inverse. */
function transformed({ re, im }, sign) {
  const out = { re: new Float64Array(SIZE * SIZE), im: new Float64Array(SIZE * SIZE) };
  for (let column = 0; column < SIZE; column++) {
    for (let f = 0; f < SIZE; f++) {
      let [a, b] = [0, 0];
      for (let row = 0; row < SIZE; row++) {
        const at = row * SIZE + column;
        const [c, s] = [COS[(f * row) % SIZE], sign * SIN[(f * row) % SIZE]];
        a += c * re[at] + s * im[at];
        b += c * im[at] - s * re[at];
      }
      out.re[column * SIZE + f] = a;
      out.im[column * SIZE + f] = b;
    }
  }
  return out;
}

/**
 * The middle of a grey picture, of logarithms of its levels, whitened and of variance 1.
 *
 * @param picture as `readScene` gives it
 * @returns {{ size: number, pixels: Float64Array }} size × size pixels, row by row
 */
export function whitened({ width, height, pixels }) {
  const [top, left] = [Math.floor((height - SIZE) / 2), Math.floor((width - SIZE) / 2)];
  const levels = Float64Array.from({ length: SIZE * SIZE }, (_, at) =>
    Math.log(1 + pixels[(top + Math.floor(at / SIZE)) * width + left + (at % SIZE)]),
  );
  const spectrum = transformed(
    transformed({ re: levels, im: new Float64Array(SIZE * SIZE) }, 1),
    1,
  );
  const frequency = (at) => Math.min(at, SIZE - at) / SIZE;
  for (let at = 0; at < SIZE * SIZE; at++) {
    const f = Math.hypot(frequency(Math.floor(at / SIZE)), frequency(at % SIZE));
    const factor = f * Math.exp(-((f / CUTOFF) ** 4));
    spectrum.re[at] *= factor;
    spectrum.im[at] *= factor;
  }
  const { re } = transformed(transformed(spectrum, -1), -1);
  // The filter leaves no mean.
  const scale = Math.sqrt(re.reduce((sum, x) => sum + x * x, 0) / re.length);
  return { size: SIZE, pixels: re.map((x) => x / scale) };
}
