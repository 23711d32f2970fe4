import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LaunchError, printStatus } from './fail.mjs'
import { installOnce, isInstalled, npmCi, requiredToDevelop, requiredToRun } from './install.mjs'
import { isSupported, runtimeBinary, runtimePackage, thisHost, verifyRuntime } from './runtime.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RUNTIME = join(ROOT, 'bin', 'runtime')
const LOCK = join(RUNTIME, '.lock')

/**
 * Prepares the checkout: installs the locked dependencies and, if the host's Node is too old, a newer one.
 * When everything is installed, it only reads two files.
 *
 * @param {{ develop: boolean }} options whether the development tools are needed; a missing service is installed without
 * @returns {Promise<string>} the path of the Node binary to run
 * @throws {LaunchError} when the installation fails
 */
export async function prepare({ develop }) {
  const isRequired = develop ? requiredToDevelop : requiredToRun
  await installOnce(
    LOCK,
    () => isInstalled(ROOT, isRequired),
    lock => {
      printStatus('installing dependencies (first start, or package-lock.json has changed) …')
      return npmCi(ROOT, { omitDev: !develop, onStarted: lock.alsoHeldBy })
    },
  )
  return isSupported(process.versions.node) ? process.execPath : downloadedNode()
}

async function downloadedNode() {
  const name = runtimePackage(thisHost())
  const binary = runtimeBinary(RUNTIME, name)
  const isDownloaded = () => isInstalled(RUNTIME, path => path === `node_modules/${name}`)
  await installOnce(LOCK, isDownloaded, async lock => {
    printStatus(`downloading a newer Node than this host's ${process.versions.node} (about 50 MB, once) …`)
    await npmCi(RUNTIME, { onStarted: lock.alsoHeldBy })
    // npm skips an optional package that it cannot download or verify.
    if (!isDownloaded()) {
      throw new LaunchError(
        `npm could not download ${name}. Check the network and the npm registry setting, then start again.`,
      )
    }
    verifyRuntime(binary)
  })
  return binary
}

/**
 * Settings of glibc's malloc by which a service at rest holds less. All threads share two arenas: with
 * one for each thread, each would keep what it once used. Blocks from 32 KiB on, such as those of V8's compilers, are returned when they are freed.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '32768', MALLOC_TRIM_THRESHOLD_: '131072' }

/** An environment with `node` first on PATH, so that child processes run the same Node. */
export function environmentFor(node) {
  return { ...MALLOC, ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` }
}

/**
 * Runs `main` and exits with its exit code. A LaunchError is printed as one line.
 *
 * @param {() => Promise<number>} main
 */
export async function exitWith(main) {
  try {
    process.exit(await main())
  } catch (error) {
    printStatus(error instanceof LaunchError ? error.message : `the launcher failed: ${error.stack}`)
    process.exit(error instanceof LaunchError ? error.exitCode : 1)
  }
}
