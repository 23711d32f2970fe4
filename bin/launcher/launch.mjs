import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LaunchError, say } from './fail.mjs'
import { installOnce, isInstalled, npmCi } from './install.mjs'
import { isNewEnough, proveRuns, runtimeBinary, runtimePackage, thisHost } from './runtime.mjs'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RUNTIME = join(ROOT, 'bin', 'runtime')
const LOCK = join(RUNTIME, '.lock')

/**
 * Makes the checkout ready to run: dependencies as the lock file has them, and a new enough Node.
 * With everything present it reads two files and calls nobody.
 *
 * @param {(path: string, entry: object) => boolean} wanted which locked dependencies must be there
 * @returns {Promise<string>} the path of the Node to run
 * @throws {LaunchError} when something is missing and cannot be had
 */
export async function makeReady(wanted) {
  await installOnce(
    LOCK,
    () => isInstalled(ROOT, wanted),
    lock => {
      say('installing dependencies (the first start, or the lock file has changed) …')
      return npmCi(ROOT, { onStarted: lock.alsoHeldBy })
    },
  )
  return isNewEnough(process.versions.node) ? process.execPath : fetchedNode()
}

async function fetchedNode() {
  const name = runtimePackage(thisHost())
  const binary = runtimeBinary(RUNTIME, name)
  const isFetched = () => isInstalled(RUNTIME, path => path === `node_modules/${name}`)
  await installOnce(LOCK, isFetched, async lock => {
    say(`fetching a newer Node than this host's ${process.versions.node}, once (about 50 MB) …`)
    await npmCi(RUNTIME, { onStarted: lock.alsoHeldBy })
    // npm passes over an optional package that it cannot fetch or verify.
    if (!isFetched()) {
      throw new LaunchError(
        `npm could not fetch ${name}. Check the network and the npm registry setting, then start again.`,
      )
    }
    proveRuns(binary)
  })
  return binary
}

/** An environment in which child processes find the same Node under its name. */
export function environmentFor(node) {
  return { ...process.env, PATH: `${dirname(node)}:${process.env.PATH ?? ''}` }
}

/**
 * Runs `main` and ends this process with its exit code, or with a plain line for the person at the terminal.
 *
 * @param {() => Promise<number>} main
 */
export async function exitWith(main) {
  try {
    process.exit(await main())
  } catch (error) {
    say(error instanceof LaunchError ? error.message : `the launcher failed: ${error.stack}`)
    process.exit(error instanceof LaunchError ? error.exitCode : 1)
  }
}
