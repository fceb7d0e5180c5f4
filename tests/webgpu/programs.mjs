// WebGPU compute programs, each compared with the same worked out in JavaScript.
import { expectEqual, randomWords } from './harness.mjs';

// Whole numbers, so that every sum and product is exact.
async function saxpy(gpu) {
  const count = 5000, x = Float32Array.from(randomWords(count, 1), (word) => word & 1023);
  const y = Float32Array.from(randomWords(count, 2), (word) => (word & 4095) - 2048);
  const kernel = gpu.kernel(`
    struct Parameters { factor: f32, count: u32 }
    @group(0) @binding(0) var<uniform> parameters: Parameters;
    @group(0) @binding(1) var<storage, read> x: array<f32>;
    @group(0) @binding(2) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      if (id.x < parameters.count) { y[id.x] += parameters.factor * x[id.x]; }
    }`);
  const parameters = new Uint32Array([0, count - 10]);
  new Float32Array(parameters.buffer)[0] = 7;
  const result = gpu.buffer(y);
  gpu.run({ kernel, buffers: [gpu.uniform(parameters), gpu.buffer(x), result], groups: [Math.ceil(count / 64)] });
  expectEqual('y', await gpu.read(result, Float32Array), y.map((value, i) => (i < count - 10 ? value + 7 * x[i] : value)));
}

async function reduction(gpu) {
  const groups = 40, words = randomWords(groups * 512, 3), result = gpu.buffer(groups * 8);
  const kernel = gpu.kernel(`
    @group(0) @binding(0) var<storage, read> words: array<u32>;
    @group(0) @binding(1) var<storage, read_write> results: array<vec2u>;
    var<workgroup> tree: array<vec2u, 256>;
    @compute @workgroup_size(256) fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u) {
      let first = words[group.x * 512 + lane];
      let second = words[group.x * 512 + lane + 256];
      tree[lane] = vec2u(first + second, max(first, second));
      for (var step = 128u; step > 0; step >>= 1) {
        workgroupBarrier();
        if (lane < step) {
          let other = tree[lane + step];
          tree[lane] = vec2u(tree[lane].x + other.x, max(tree[lane].y, other.y));
        }
      }
      if (lane == 0) { results[group.x] = tree[0]; }
    }`);
  gpu.run({ kernel, buffers: [gpu.buffer(words), result], groups: [groups] });
  const want = new Uint32Array(groups * 2);
  words.forEach((word, i) => {
    const group = i >> 9;
    want[2 * group] += word;
    want[2 * group + 1] = Math.max(want[2 * group + 1], word);
  });
  expectEqual('sums and maxima', await gpu.read(result), want);
}

async function matrixProduct(gpu) {
  const size = 64, a = Float32Array.from(randomWords(size * size, 4), (word) => word & 127);
  const b = Float32Array.from(randomWords(size * size, 5), (word) => word & 127);
  const kernel = gpu.kernel(`
    override size: u32;
    @group(0) @binding(0) var<storage, read> a: array<f32>;
    @group(0) @binding(1) var<storage, read> b: array<f32>;
    @group(0) @binding(2) var<storage, read_write> c: array<f32>;
    var<workgroup> tile_a: array<array<f32, 16>, 16>;
    var<workgroup> tile_b: array<array<f32, 16>, 16>;
    @compute @workgroup_size(16, 16) fn main(@builtin(local_invocation_id) me: vec3u, @builtin(global_invocation_id) at: vec3u) {
      var sum = 0f;
      for (var t = 0u; t < size; t += 16) {
        tile_a[me.y][me.x] = a[at.y * size + t + me.x];
        tile_b[me.y][me.x] = b[(t + me.y) * size + at.x];
        workgroupBarrier();
        for (var k = 0u; k < 16; k++) { sum += tile_a[me.y][k] * tile_b[k][me.x]; }
        workgroupBarrier();
      }
      c[at.y * size + at.x] = sum;
    }`, { size });
  const result = gpu.buffer(size * size * 4);
  gpu.run({ kernel, buffers: [gpu.buffer(a), gpu.buffer(b), result], groups: [size / 16, size / 16] });
  const want = new Float32Array(size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      for (let k = 0; k < size; k++) {
        want[row * size + column] += a[row * size + k] * b[k * size + column];
      }
    }
  }
  expectEqual('the product', await gpu.read(result, Float32Array), want);
}

async function atomics(gpu) {
  const count = 4096, words = randomWords(count, 6);
  const kernel = gpu.kernel(`
    @group(0) @binding(0) var<storage, read> words: array<u32>;
    @group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 64>;
    @group(0) @binding(2) var<storage, read_write> cells: array<atomic<u32>, 8>;
    @group(0) @binding(3) var<storage, read_write> extremes: array<atomic<i32>, 2>;
    var<workgroup> counts: array<atomic<u32>, 64>;
    @compute @workgroup_size(128) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
      let word = words[id.x];
      atomicAdd(&counts[word & 63], 1);
      atomicAdd(&cells[0], word);
      atomicXor(&cells[1], word);
      atomicMax(&cells[2], word);
      atomicOr(&cells[3], word & 0x10101010);
      atomicAnd(&cells[4], word | 0xfff0fff0);
      atomicMin(&extremes[0], bitcast<i32>(word));
      atomicMax(&extremes[1], bitcast<i32>(word));
      loop { // a sum by comparing and exchanging
        let seen = atomicLoad(&cells[5]);
        if (atomicCompareExchangeWeak(&cells[5], seen, seen + (word >> 5)).exchanged) { break; }
      }
      if (atomicExchange(&cells[6], 9) == 0) { atomicAdd(&cells[7], 1000); } else { atomicAdd(&cells[7], 1); }
      workgroupBarrier();
      if (lane < 64) { atomicAdd(&bins[lane], atomicLoad(&counts[lane])); }
    }`);
  const bins = gpu.buffer(256), cells = gpu.buffer(new Uint32Array([0, 0, 0, 0, 0xffffffff, 0, 0, 0])), extremes = gpu.buffer(8);
  gpu.run({ kernel, buffers: [gpu.buffer(words), bins, cells, extremes], groups: [count / 128] });
  const wantBins = new Uint32Array(64), ends = new Int32Array(2);
  const want = new Uint32Array([0, 0, 0, 0, 0xffffffff, 0, 9, 1000 + count - 1]);
  for (const word of words) {
    wantBins[word & 63]++;
    want[0] += word;
    want[1] ^= word;
    want[2] = Math.max(want[2], word);
    want[3] |= word & 0x10101010;
    want[4] &= word | 0xfff0fff0;
    want[5] += word >>> 5;
    ends[0] = Math.min(ends[0], word | 0);
    ends[1] = Math.max(ends[1], word | 0);
  }
  expectEqual('bins', await gpu.read(bins), wantBins);
  expectEqual('cells', await gpu.read(cells), want);
  expectEqual('extremes', await gpu.read(extremes, Int32Array), ends);
}

// Arguments that a kernel writes, one with a dimension of zero, and arguments from the host.
async function indirectDispatch(gpu) {
  const writer = gpu.kernel(`
    @group(0) @binding(0) var<storage, read> words: array<u32>;
    @group(0) @binding(1) var<storage, read_write> arguments: array<vec4u>;
    @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) lane: u32) {
      let word = words[lane];
      arguments[lane] = vec4u(word % 5 + 1, select(word / 7 % 4 + 1, 0, lane == 2), 1, 0);
    }`);
  const marker = gpu.kernel(`
    @group(0) @binding(0) var<storage, read_write> marks: array<atomic<u32>>;
    @compute @workgroup_size(32) fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) count: vec3u,
                                         @builtin(local_invocation_index) lane: u32) {
      atomicAdd(&marks[group.y * count.x + group.x], lane + 10 * count.x + 100 * count.y);
    }`);
  const words = randomWords(4, 7), argumentsBuffer = gpu.buffer(64, GPUBufferUsage.STORAGE | GPUBufferUsage.INDIRECT);
  const host = gpu.buffer(new Uint32Array([99, 3, 2, 1]), GPUBufferUsage.INDIRECT);
  const marks = Array.from({ length: 5 }, () => gpu.buffer(32 * 4));
  const passes = marks.map((buffer, i) => ({
    kernel: marker, buffers: [buffer], indirect: i < 4 ? argumentsBuffer : host, offset: i < 4 ? 16 * i : 4,
  }));
  gpu.run({ kernel: writer, buffers: [gpu.buffer(words), argumentsBuffer], groups: [1] }, ...passes);
  const counts = Array.from(words, (word, i) => [(word % 5) + 1, i === 2 ? 0 : (Math.floor(word / 7) % 4) + 1]).concat([[3, 2]]);
  const want = [], got = [];
  for (let i = 0; i < 5; i++) {
    const [x, y] = counts[i];
    want.push(...Array.from({ length: 32 }, (_, at) => (at < x * y ? 496 + 32 * (10 * x + 100 * y) : 0)));
    got.push(...(await gpu.read(marks[i])));
  }
  expectEqual('marks', got, want);
}

function hashOnHost(word, rounds) {
  for (let i = 0; i < rounds; i++) {
    word = Math.imul(word ^ (word >>> 15), 0x2c1b3c6d) + i;
    word = (word << 7) | (word >>> 25);
  }
  return word >>> 0;
}

async function hashes(gpu) {
  const words = randomWords(3000, 8), result = gpu.buffer(words.byteLength);
  const kernel = gpu.kernel(`
    @group(0) @binding(0) var<storage, read> words: array<u32>;
    @group(0) @binding(1) var<storage, read_write> results: array<u32>;
    fn turned(word: u32, by: u32) -> u32 { return (word << by) | (word >> (32 - by)); }
    @compute @workgroup_size(100) fn main(@builtin(global_invocation_id) id: vec3u) {
      var word = words[id.x];
      for (var i = 0u; i < 16 + id.x % 16; i++) { word = turned((word ^ (word >> 15)) * 0x2c1b3c6d + i, 7); }
      results[id.x] = word;
    }`);
  gpu.run({ kernel, buffers: [gpu.buffer(words), result], groups: [30] });
  expectEqual('hashes', await gpu.read(result), words.map((word, i) => hashOnHost(word, 16 + (i % 16))));
}

// Generations of a toroidal world, each a dispatch.
async function life(gpu) {
  const width = 60, height = 44, kernel = gpu.kernel(`
    @group(0) @binding(0) var<storage, read> before: array<u32>;
    @group(0) @binding(1) var<storage, read_write> after: array<u32>;
    const size = vec2u(60, 44);
    @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
      if (any(id.xy >= size)) { return; }
      var alive = 0u;
      for (var dy = 0u; dy < 3; dy++) {
        for (var dx = 0u; dx < 3; dx++) {
          let at = (id.xy + size + vec2u(dx, dy) - 1) % size;
          alive += select(before[at.y * size.x + at.x], 0, dx == 1 && dy == 1);
        }
      }
      let here = id.y * size.x + id.x;
      after[here] = select(0u, 1u, alive == 3 || (alive == 2 && before[here] == 1));
    }`);
  let world = randomWords(width * height, 9).map((word) => (word >>> 7) & 1);
  const buffers = [gpu.buffer(world), gpu.buffer(world.byteLength)], passes = [];
  for (let generation = 0; generation < 30; generation++) {
    passes.push({ kernel, buffers: generation % 2 ? [buffers[1], buffers[0]] : buffers, groups: [8, 6] });
    world = world.map((cell, i) => {
      let alive = -cell;
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          alive += world[((Math.floor(i / width) + dy + height) % height) * width + (((i % width) + dx + width) % width)];
        }
      }
      return alive === 3 || (alive === 2 && cell) ? 1 : 0;
    });
  }
  gpu.run(...passes);
  expectEqual('the world', await gpu.read(buffers[0]), world);
}

// Copies, fills with zeros, mapped buffers and partial writes.
async function copies(gpu) {
  const words = randomWords(2048, 10);
  const mapped = gpu.device.createBuffer({ size: 8192, usage: GPUBufferUsage.COPY_SRC, mappedAtCreation: true });
  new Uint32Array(mapped.getMappedRange(0, 4096)).set(words.subarray(0, 1024));
  new Uint32Array(mapped.getMappedRange(4096)).set(words.subarray(1024));
  mapped.unmap();
  const result = gpu.buffer(randomWords(2048, 11)), want = randomWords(2048, 11), encoder = gpu.device.createCommandEncoder();
  encoder.copyBufferToBuffer(mapped, 400, result, 4, 1000);
  want.set(words.subarray(100, 350), 1);
  encoder.copyBufferToBuffer(mapped, 0, result, 4096, 4096);
  want.set(words.subarray(0, 1024), 1024);
  encoder.clearBuffer(result, 2000, 64);
  want.fill(0, 500, 516);
  encoder.clearBuffer(result, 8188);
  want[2047] = 0;
  gpu.device.queue.submit([encoder.finish()]);
  gpu.device.queue.writeBuffer(result, 5000, words, 7, 33);
  want.set(words.subarray(7, 40), 1250);
  expectEqual('words', await gpu.read(result), want);
  await gpu.device.queue.onSubmittedWorkDone();
}

// Uniform blocks and parts of a storage buffer whose places are given with the bind group.
async function offsets(gpu) {
  const layout = gpu.device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform', hasDynamicOffset: true } },
      { binding: 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage', hasDynamicOffset: true } },
    ],
  });
  const module = gpu.device.createShaderModule({
    code: `
    struct Block { factor: vec4u, add: array<vec4u, 3> }
    @group(0) @binding(0) var<uniform> block: Block;
    @group(0) @binding(1) var<storage, read_write> words: array<u32, 64>;
    @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
      words[lane] = words[lane] * block.factor[lane % 4] + block.add[lane % 3][lane / 16];
    }`,
  });
  const kernel = await gpu.device.createComputePipelineAsync({
    layout: gpu.device.createPipelineLayout({ bindGroupLayouts: [layout] }), compute: { module },
  });
  const blocks = randomWords(64 * 4, 12), words = randomWords(64 * 4, 13);
  const result = gpu.buffer(words), uniform = gpu.uniform(blocks);
  const group = gpu.device.createBindGroup({
    layout,
    entries: [
      { binding: 0, resource: { buffer: uniform, size: 64 } },
      { binding: 1, resource: { buffer: result, size: 256 } },
    ],
  });
  const encoder = gpu.device.createCommandEncoder(), pass = encoder.beginComputePass(), want = words.slice();
  pass.setPipeline(kernel);
  for (let i = 0; i < 10; i++) {
    const from = (i * 3) % 4, to = (i * i) % 4;
    pass.setBindGroup(0, group, [256 * from, 256 * to]);
    pass.dispatchWorkgroups(1);
    for (let lane = 0; lane < 64; lane++) {
      const block = blocks.subarray(64 * from), at = 64 * to + lane;
      want[at] = Math.imul(want[at], block[lane % 4]) + block[4 + (lane % 3) * 4 + (lane >> 4)];
    }
  }
  pass.end();
  gpu.device.queue.submit([encoder.finish()]);
  expectEqual('words', await gpu.read(result), want);
}

async function functions(gpu) {
  const values = Float32Array.from(randomWords(1024, 14), (word) => (word / 2 ** 32) * 6 - 3), result = gpu.buffer(1024 * 16);
  const kernel = gpu.kernel(`
    @group(0) @binding(0) var<storage, read> values: array<f32>;
    @group(0) @binding(1) var<storage, read_write> results: array<vec4f>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
      let x = values[id.x];
      results[id.x] = vec4f(sin(x), sqrt(abs(x)) + exp2(x), atan2(x, 1.5), pow(abs(x) + 0.5, 2.5) / 8);
    }`);
  gpu.run({ kernel, buffers: [gpu.buffer(values), result], groups: [16] });
  const want = Array.from(values, (x) => {
    const size = Math.abs(x);
    return [Math.sin(x), Math.sqrt(size) + 2 ** x, Math.atan2(x, 1.5), (size + 0.5) ** 2.5 / 8];
  }).flat();
  expectEqual('values', await gpu.read(result, Float32Array), want, 2 ** -10); // WGSL allows sin 2^-11, atan2 4096 ULP
}

// A wrong shader and a wrong size are errors that a scope catches, and the device lives on.
async function errorScopes(gpu) {
  gpu.device.pushErrorScope('validation');
  gpu.device.createShaderModule({ code: '@compute @workgroup_size(1) fn main() { let x: u32 = 1.5; }' });
  const shader = await gpu.device.popErrorScope();
  gpu.device.pushErrorScope('validation');
  gpu.device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.STORAGE });
  const usage = await gpu.device.popErrorScope();
  if (!shader || !usage) {
    throw new Error('errors were not caught');
  }
  await hashes(gpu);
}

export const programs = {
  saxpy, reduction, matrixProduct, atomics, indirectDispatch, hashes, life, copies, offsets, functions, errorScopes,
};
