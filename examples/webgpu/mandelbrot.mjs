// Draws the Mandelbrot set with a WebGPU compute shader and writes it as a picture: node mandelbrot.mjs FILE.ppm
import { writeFileSync } from 'node:fs';
import { create, globals } from 'webgpu';

Object.assign(globalThis, globals);
const [width, height] = [960, 640];

const dawn = create(['backend=vulkan']);
const adapter = await dawn.requestAdapter();
const device = await adapter.requestDevice();

const module = device.createShaderModule({
  code: `
  @group(0) @binding(0) var<uniform> size: vec2u;
  @group(0) @binding(1) var<storage, read_write> pixels: array<u32>;

  fn colour(t: f32) -> u32 {
    let wave = 0.5 + 0.5 * cos(6.2832 * (t * vec3f(1.0, 0.9, 0.8) + vec3f(0.55, 0.65, 0.8)));
    return pack4x8unorm(vec4f(wave, 1.0));
  }

  @compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id: vec3u) {
    if (any(id.xy >= size)) { return; }
    let c = (vec2f(id.xy) - vec2f(size) * vec2f(0.68, 0.5)) * 2.5 / f32(size.y);
    var z = vec2f(0.0);
    var count = 0u;
    while (count < 256 && dot(z, z) < 16.0) {
      z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
      count++;
    }
    let smooth_count = f32(count) + 1.0 - log2(0.5 * log2(dot(z, z)));
    pixels[id.y * size.x + id.x] = select(colour(sqrt(smooth_count) * 0.18), 0u, count == 256);
  }`,
});
const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });

const size = device.createBuffer({ size: 8, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
const pixels = device.createBuffer({ size: width * height * 4, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
const picture = device.createBuffer({ size: width * height * 4, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
device.queue.writeBuffer(size, 0, new Uint32Array([width, height]));
const group = device.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [size, pixels].map((buffer, binding) => ({ binding, resource: { buffer } })),
});

const encoder = device.createCommandEncoder();
const pass = encoder.beginComputePass();
pass.setPipeline(pipeline);
pass.setBindGroup(0, group);
pass.dispatchWorkgroups(Math.ceil(width / 8), Math.ceil(height / 8));
pass.end();
encoder.copyBufferToBuffer(pixels, 0, picture, 0, picture.size);
device.queue.submit([encoder.finish()]);

await picture.mapAsync(GPUMapMode.READ);
const rgba = new Uint8Array(picture.getMappedRange());
const rgb = Buffer.from(rgba.filter((_, i) => i % 4 !== 3));
const file = process.argv[2] ?? 'mandelbrot.ppm';
writeFileSync(file, Buffer.concat([Buffer.from(`P6 ${width} ${height} 255\n`), rgb]));
console.log(`${file}: drawn by ${adapter.info.description}`);
device.destroy();
