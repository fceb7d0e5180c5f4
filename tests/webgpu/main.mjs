// Runs the WebGPU programs: node main.mjs FOLDER-OF-MODULES [NAME...]. A line for each; exits 1 when one fails.
import { makeGpu } from './harness.mjs';
import { programs } from './programs.mjs';

const [modules, ...names] = process.argv.slice(2);
const gpu = await makeGpu(modules);
const { vendor, architecture, device, description } = gpu.adapter.info;
console.log(`adapter: ${[vendor, architecture, device, description].join(', ')}`);
let failed = 0;
for (const name of names.length ? names : Object.keys(programs)) {
  try {
    gpu.device.pushErrorScope('validation');
    await programs[name](gpu).finally(async () => {
      const error = await gpu.device.popErrorScope();
      gpu.errors.push(...(error ? [error.message] : []));
    });
    if (gpu.errors.length) {
      throw new Error(gpu.errors.splice(0).join('; '));
    }
    console.log(`passed ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAILED ${name}: ${[error.message, ...gpu.errors.splice(0)].join('; ').replaceAll('\n', ' ')}`);
  }
}
gpu.device.destroy();
process.exitCode = failed ? 1 : 0;
