import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const KERNEL = fileURLToPath(new URL('../../kernel/', import.meta.url))

/** For the `skip` option of tests that build the kernel: false, or the reason to skip. */
export const compilerMissing =
  existsSync(join(KERNEL, 'tools/node_modules')) || process.env.CI === 'true'
    ? false
    : 'the AssemblyScript compiler is not installed in packages/zcash/kernel/tools'

/** A text of one file of the kernel that is replaced. */
export interface Change {
  readonly file: string
  readonly find: string
  readonly replace: string
}

/** Builds the kernel in a new folder, with a change if one is given. Returns the bytes of the module. */
export function build(change?: Change): Uint8Array {
  // Inside the package, since the compiler takes no source from above the working directory.
  const folder = mkdtempSync(join(KERNEL, 'tools/node_modules/.build-'))
  try {
    cpSync(join(KERNEL, 'assembly'), join(folder, 'assembly'), { recursive: true })
    if (change) {
      const path = join(folder, 'assembly', change.file)
      const source = readFileSync(path, 'utf8')
      if (source.split(change.find).length !== 2) throw new Error(`not once in ${change.file}: ${change.find}`)
      writeFileSync(
        path,
        source.replace(change.find, () => change.replace),
      )
    }
    const wasm = join(folder, 'kernel.wasm')
    const args = [join(KERNEL, 'build.mjs'), wasm, join(folder, 'assembly')]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 120_000 })
    if (status !== 0) throw new Error(`the kernel does not build:\n${stdout}${stderr}`)
    return readFileSync(wasm)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
