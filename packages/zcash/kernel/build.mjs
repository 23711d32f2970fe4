// Builds kernel.wasm, or the file given: node build.mjs [file [folder of the assembly]]. Needs `npm ci` in tools/.
// -O2 and not -O3: Binaryen's last passes reorder the multiplication, and V8 then keeps fewer limbs in registers.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const compiler = fileURLToPath(new URL('tools/node_modules/assemblyscript/bin/asc.js', import.meta.url))
if (!existsSync(compiler)) {
  console.error('the AssemblyScript compiler is not installed: run npm ci in packages/zcash/kernel/tools')
  process.exit(2)
}
const [output = fileURLToPath(new URL('kernel.wasm', import.meta.url)), assembly = 'assembly'] = process.argv.slice(2)
const options = ['-O2', '--noAssert', '--runtime', 'stub', '--enable', 'simd,relaxed-simd', '--initialMemory', '64']
const { status } = spawnSync(
  process.execPath,
  [compiler, `${assembly}/index.ts`, '--outFile', output, '--zeroFilledMemory', ...options],
  { cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: 'inherit' },
)
process.exit(status ?? 1)
