/**
 * Sweeps over lattices on a graphics processor, by WebGPU. The shader does what `src/sample/torus.rs` does, in integers
 * of 32 bits alone, so that every processor makes the same bits as the CPU.
 */

/** What a shard asks for: see `src/run/lattice_work.rs`. */
export interface LatticeWork {
  numRows: number;
  width: number;
  lastBit: number;
  changes: Uint32Array<ArrayBuffer>;
  order: Uint32Array<ArrayBuffer>;
  states: Uint32Array<ArrayBuffer>;
  keys: Uint32Array<ArrayBuffer>;
  stops: Uint32Array<ArrayBuffer>;
}

/** Makes sweeps; `description` names the processor. */
export interface LatticeDevice {
  readonly description: string;
  /** The states of all chains at each stop, `[stop][chain][..]`. Rejects if the processor fails. */
  sweep(work: LatticeWork): Promise<Uint32Array>;
}

/** Flags of WebGPU, which TypeScript's library does not name. */
const MAP_READ = 0x1;
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const UNIFORM = 0x40;
const STORAGE = 0x80;
const TO_READ = 0x1;
const COMPUTE = 0x4;

/** Invocations of a workgroup, and the least distance between two steps in their buffer, in bytes. */
const GROUP = 64;
const STEP_BYTES = 256;

const SHADER = /* wgsl */ `
struct Lattice {
  num_rows: u32,
  width: u32,
  last_bit: u32,
  num_chains: u32,
  // For 0 to 4 neighbours that are 1: where the digits change, the first ones in the first word.
  changes: array<vec4<u32>, 5>,
}

// One colour of one sweep.
struct Step {
  colour: u32,
  sweep: u32,
}

@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<storage, read> keys: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> lattice: Lattice;
@group(0) @binding(3) var<uniform> step: Step;

// Jenkins' generator in 32 bits.
struct Generator {
  a: u32,
  b: u32,
  c: u32,
  d: u32,
}

fn rotated(word: u32, by: u32) -> u32 {
  return (word << by) | (word >> (32u - by));
}

fn seeded(index: u32, key: vec4<u32>) -> Generator {
  let first = 0x7feb352du;
  let second = 0x846ca68bu;
  var a = index + key.x;
  a = (a ^ (a >> 16u)) * first;
  a = (a ^ (a >> 15u)) * second;
  a = a ^ (a >> 16u);
  var b = (a ^ key.y) * first;
  b = b ^ (b >> 15u);
  var c = (b ^ key.z) * second;
  c = c ^ (c >> 16u);
  return Generator(a, b, c, key.w);
}

fn next(generator: ptr<function, Generator>) -> u32 {
  let before = *generator;
  let e = before.a - rotated(before.b, 27u);
  let a = before.b ^ rotated(before.c, 17u);
  let b = before.c + before.d;
  let c = before.d + e;
  let d = e + a;
  *generator = Generator(a, b, c, d);
  return d;
}

// One word: up to 32 sites of the colour in one row of one chain.
@compute @workgroup_size(${GROUP})
fn sweep(@builtin(global_invocation_id) id: vec3<u32>) {
  let num_rows = lattice.num_rows;
  let width = lattice.width;
  let plane = num_rows * width;
  if (id.x >= plane) {
    return;
  }
  let line = id.x / width;
  let at = id.x % width;
  let state = id.y * 2u * plane;
  let own = step.colour * plane + id.x;
  let other = state + (1u - step.colour) * plane;
  let row = other + line * width;
  let is_last = at + 1u == width;

  let above = words[other + select(line - 1u, num_rows - 1u, line == 0u) * width + at];
  let below = words[other + select(line + 1u, 0u, line + 1u == num_rows) * width + at];
  let beside = words[row + at];
  // Where the first site of the row has the colour, the other neighbours are those to the left.
  var across: u32;
  if (line % 2u == step.colour) {
    let edge = words[row + select(at - 1u, width - 1u, at == 0u)];
    across = (beside << 1u) | (edge >> select(31u, lattice.last_bit, at == 0u));
  } else {
    let edge = words[row + select(at + 1u, 0u, is_last)];
    across = (beside >> 1u) | (edge << select(31u, lattice.last_bit, is_last));
  }

  // The sites by their number of neighbours that are 1.
  let one_of_first = above ^ below;
  let both_of_first = above & below;
  let one_of_second = beside ^ across;
  let both_of_second = beside & across;
  let odd = one_of_first ^ one_of_second;
  let four = both_of_first & both_of_second;
  let two_or_three = (both_of_first ^ both_of_second) | (one_of_first & one_of_second);
  let two = two_or_three & ~odd;
  let three = two_or_three & odd;
  let one = odd & ~three;
  let none = ~(odd | two | four);

  var generator = seeded(own, keys[step.sweep * lattice.num_chains + id.y]);
  var undecided = select(0xffffffffu, 0xffffffffu >> (31u - lattice.last_bit), is_last);
  var ones = 0u;
  for (var part = 0u; part < 2u && undecided != 0u; part++) {
    for (var shift = 31i; shift >= 0i && undecided != 0u; shift--) {
      let place = u32(shift);
      let changed = (none & (0u - ((lattice.changes[0][part] >> place) & 1u)))
        | (one & (0u - ((lattice.changes[1][part] >> place) & 1u)))
        | (two & (0u - ((lattice.changes[2][part] >> place) & 1u)))
        | (three & (0u - ((lattice.changes[3][part] >> place) & 1u)))
        | (four & (0u - ((lattice.changes[4][part] >> place) & 1u)));
      ones = ones ^ (undecided & changed);
      undecided = undecided & ~next(&generator);
    }
  }
  words[state + own] = ones;
}
`;

/** Finds a graphics processor; undefined where there is none. */
export async function findLatticeDevice(): Promise<LatticeDevice | undefined> {
  const adapter = await globalThis.navigator?.gpu?.requestAdapter({
    powerPreference: 'high-performance',
  });
  if (!adapter) return undefined;
  // Older browsers say nothing of it.
  const { vendor, architecture, description } = adapter.info ?? {};
  const names = [vendor, architecture, description].filter((name) => name);
  const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
  const requiredLimits = { maxStorageBufferBindingSize, maxBufferSize };
  let sweeps: Promise<Sweeps> | undefined;
  return {
    description: names.join(', ') || 'a graphics processor without a name',
    async sweep(work) {
      // Not before: most workers never make a sweep.
      sweeps ??= adapter.requestDevice({ requiredLimits }).then((device) => new Sweeps(device));
      return (await sweeps).run(work);
    },
  };
}

class Sweeps {
  readonly #device: GPUDevice;
  readonly #layout: GPUBindGroupLayout;
  readonly #pipeline: GPUComputePipeline;

  constructor(device: GPUDevice) {
    this.#device = device;
    const kinds = ['storage', 'read-only-storage', 'uniform', 'uniform'] as const;
    this.#layout = device.createBindGroupLayout({
      entries: kinds.map((type, binding) => ({
        binding,
        visibility: COMPUTE,
        buffer: { type, hasDynamicOffset: binding === 3 },
      })),
    });
    this.#pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [this.#layout] }),
      compute: { module: device.createShaderModule({ code: SHADER }), entryPoint: 'sweep' },
    });
  }

  async run(work: LatticeWork): Promise<Uint32Array> {
    const device = this.#device;
    // Without them, what went wrong would only be seen in the console.
    const filters = ['validation', 'out-of-memory', 'internal'] as const;
    for (const filter of filters) device.pushErrorScope(filter);
    const buffers: GPUBuffer[] = [];
    try {
      const read = this.#submit(work, buffers);
      // Asked for before the result is awaited, as a lost device answers neither.
      const errors = Promise.all(filters.map(() => device.popErrorScope()));
      const mapped = read.mapAsync(TO_READ).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      const error = (await errors).find((error) => error !== null);
      if (error) throw new Error(error.message);
      const cause = await mapped;
      if (cause !== undefined) throw cause;
      return new Uint32Array(read.getMappedRange().slice(0));
    } finally {
      for (const buffer of buffers) buffer.destroy();
    }
  }

  /** Asks for all sweeps; the states at the stops come into the buffer that is returned. */
  #submit(work: LatticeWork, buffers: GPUBuffer[]): GPUBuffer {
    const device = this.#device;
    const { numRows, width, lastBit, changes, order, states, keys, stops } = work;
    const plane = numRows * width;
    const numChains = states.length / (2 * plane);
    const make = (size: number, usage: number) => {
      const buffer = device.createBuffer({ size, usage });
      buffers.push(buffer);
      return buffer;
    };
    const filled = (words: Uint32Array<ArrayBuffer>, usage: number) => {
      const buffer = make(words.byteLength, usage | COPY_DST);
      device.queue.writeBuffer(buffer, 0, words);
      return buffer;
    };
    const lattice = new Uint32Array(24);
    lattice.set([numRows, width, lastBit, numChains]);
    for (let count = 0; count < 5; count++) {
      lattice.set(changes.subarray(2 * count, 2 * count + 2), 4 + 4 * count);
    }
    const numSweeps = stops.at(-1) ?? 0;
    const steps = new Uint32Array((numSweeps * 2 * STEP_BYTES) / 4);
    for (let n = 0; n < 2 * numSweeps; n++) {
      steps.set([order[n % 2] as number, Math.floor(n / 2)], (n * STEP_BYTES) / 4);
    }
    const words = filled(states, STORAGE | COPY_SRC);
    const read = make(stops.length * states.byteLength, MAP_READ | COPY_DST);
    const bound = [
      { buffer: words },
      { buffer: filled(keys, STORAGE) },
      { buffer: filled(lattice, UNIFORM) },
      { buffer: filled(steps, UNIFORM), size: 8 },
    ];
    const group = device.createBindGroup({
      layout: this.#layout,
      entries: bound.map((resource, binding) => ({ binding, resource })),
    });
    const encoder = device.createCommandEncoder();
    let done = 0;
    for (const [index, stop] of stops.entries()) {
      const pass = encoder.beginComputePass();
      pass.setPipeline(this.#pipeline);
      for (let step = 2 * done; step < 2 * stop; step++) {
        pass.setBindGroup(0, group, [step * STEP_BYTES]);
        pass.dispatchWorkgroups(Math.ceil(plane / GROUP), numChains);
      }
      pass.end();
      const { byteLength } = states;
      encoder.copyBufferToBuffer(words, 0, read, index * byteLength, byteLength);
      done = stop;
    }
    device.queue.submit([encoder.finish()]);
    return read;
  }
}
