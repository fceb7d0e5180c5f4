// What the WebGPU programs share: a device by Dawn, kernels, buffers and comparisons.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Loads Dawn from a folder of npm modules and makes a device. The object that Dawn gives is kept, as the device lives no longer
// than it.
export async function makeGpu(modules) {
  const { create, globals } = await import(pathToFileURL(join(modules, 'webgpu', 'index.js')));
  Object.assign(globalThis, globals);
  const dawn = create(['backend=vulkan']);
  const adapter = await dawn.requestAdapter();
  if (!adapter) {
    throw new Error('Dawn finds no adapter');
  }
  const device = await adapter.requestDevice();
  const errors = [];
  device.addEventListener('uncapturederror', (event) => errors.push(event.error.message));
  device.lost.then((info) => info.reason === 'destroyed' || errors.push(`the device was lost: ${info.message}`));
  return new Gpu(dawn, adapter, device, errors);
}

export class Gpu {
  constructor(dawn, adapter, device, errors) {
    Object.assign(this, { dawn, adapter, device, errors });
  }

  kernel(code, constants = {}) {
    const module = this.device.createShaderModule({ code });
    return this.device.createComputePipeline({ layout: 'auto', compute: { module, entryPoint: 'main', constants } });
  }

  // A buffer with these contents (a typed array), or of so many bytes of zeros.
  buffer(contents, usage = GPUBufferUsage.STORAGE) {
    const size = typeof contents === 'number' ? contents : contents.byteLength;
    const buffer = this.device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    if (typeof contents !== 'number') {
      this.device.queue.writeBuffer(buffer, 0, contents);
    }
    return buffer;
  }

  uniform(contents) {
    return this.buffer(contents, GPUBufferUsage.UNIFORM);
  }

  // Runs passes, each {kernel, buffers, groups: [x, y, z]} or {..., indirect: buffer, offset}, in one submission.
  run(...passes) {
    const encoder = this.device.createCommandEncoder();
    for (const { kernel, buffers, groups, indirect, offset = 0 } of passes) {
      const entries = buffers.map((buffer, binding) => ({ binding, resource: buffer.buffer ? buffer : { buffer } }));
      const pass = encoder.beginComputePass();
      pass.setPipeline(kernel);
      pass.setBindGroup(0, this.device.createBindGroup({ layout: kernel.getBindGroupLayout(0), entries }));
      if (indirect) {
        pass.dispatchWorkgroupsIndirect(indirect, offset);
      } else {
        pass.dispatchWorkgroups(...groups);
      }
      pass.end();
    }
    this.device.queue.submit([encoder.finish()]);
  }

  // The contents of a buffer as the given kind of typed array.
  async read(buffer, Kind = Uint32Array) {
    const copy = this.device.createBuffer({ size: buffer.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, copy, 0, buffer.size);
    this.device.queue.submit([encoder.finish()]);
    await copy.mapAsync(GPUMapMode.READ);
    const contents = new Kind(copy.getMappedRange().slice(0));
    copy.destroy();
    return contents;
  }
}

// Pseudo-random words, the same everywhere.
export function randomWords(count, seed) {
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    seed = (seed + 0x9e3779b9) >>> 0;
    let value = Math.imul(seed ^ (seed >>> 16), 0x85ebca6b);
    value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
    words[i] = (value ^ (value >>> 16)) >>> 0;
  }
  return words;
}

// Throws where two arrays differ by more than the tolerance.
export function expectEqual(what, got, want, tolerance = 0) {
  if (got.length !== want.length) {
    throw new Error(`${what}: ${got.length} elements instead of ${want.length}`);
  }
  for (let i = 0; i < want.length; i++) {
    if (!(Math.abs(got[i] - want[i]) <= tolerance)) {
      throw new Error(`${what}: element ${i} is ${got[i]} instead of ${want[i]}`);
    }
  }
  if (!want.some((value) => value !== 0)) {
    throw new Error(`${what}: nothing but zeros is expected`);
  }
}
