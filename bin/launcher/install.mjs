import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, join } from 'node:path'
import { LaunchError } from './fail.mjs'
import { withLock } from './lock.mjs'
import { exitCodeOf, onStop } from './processes.mjs'

const NPM_MISSING = 'npm was not found. Install Node together with npm (https://nodejs.org), then start again.'
const NPM_FAILED =
  'npm could not install the dependencies (see its message above). Check the network and the npm registry setting, then start again.'

/**
 * Whether node_modules matches package-lock.json. npm writes node_modules/.package-lock.json as the last step of an
 * install, so an interrupted install counts as missing and a manual `npm ci` counts as complete.
 *
 * @param {string} folder the folder of package.json
 * @param {(path: string, entry: object) => boolean} isRequired selects the lock file entries that must be installed
 * @throws {LaunchError} when package-lock.json is missing or unreadable
 */
export function isInstalled(folder, isRequired) {
  const installed = lockedPackages(join(folder, 'node_modules', '.package-lock.json'))
  if (!installed) return false
  const locked = lockedPackages(join(folder, 'package-lock.json'))
  if (!locked)
    throw new LaunchError(`${join(folder, 'package-lock.json')} is missing or unreadable; restore it from git.`)
  return Object.entries(locked)
    .filter(([path, entry]) => path.includes('node_modules/') && isRequired(path, entry))
    .every(([path, entry]) => isSame(entry, installed[path]))
}

/** Selects what the service needs. Optional entries are platform-specific: npm skips those of other platforms. */
export function requiredToRun(_path, entry) {
  return !(entry.optional || entry.devOptional || entry.dev)
}

/** Selects the runtime dependencies and the development tools. */
export function requiredToDevelop(_path, entry) {
  return !(entry.optional || entry.devOptional)
}

function isSame(entry, installed) {
  if (!installed) return false
  return entry.link
    ? installed.link === true
    : installed.version === entry.version && installed.integrity === entry.integrity
}

function lockedPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages ?? null
  } catch {
    return null
  }
}

/**
 * Installs under a lock: of several concurrent starts, one installs and the others wait for it.
 *
 * @param {string} lock path of the lock folder
 * @param {() => boolean} isDone
 * @param {(lock: { alsoHeldBy(pid: number): void }) => Promise<void>} install
 */
export async function installOnce(lock, isDone, install) {
  if (isDone()) return
  await withLock(lock, async held => {
    if (!isDone()) await install(held)
  })
}

/**
 * Runs `npm ci`: installs exactly the locked versions, verifies each tarball's hash and runs no install scripts.
 *
 * @param {string} folder the folder of package.json and package-lock.json
 * @param {{ npm?: string[], omitDev?: boolean, onStarted?: (pid: number) => void }} [options] `npm` is the command line
 *   that starts npm; `omitDev` leaves out the development tools
 * @throws {LaunchError} when npm is missing, fails or is stopped
 */
export async function npmCi(folder, { npm = npmCommand(), omitDev = false, onStarted = () => {} } = {}) {
  // Removed first: npm deletes node_modules in an undefined order, and a partial folder must not count as installed.
  rmSync(join(folder, 'node_modules', '.package-lock.json'), { force: true })
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  // Overrides host settings that would skip dependencies or turn an engine warning into an error.
  const overrides = [omitDev ? '--omit=dev' : '--include=dev', '--include=optional', '--engine-strict=false']
  const [command, ...args] = [...npm, 'ci', ...options, ...overrides]
  // npm's output goes to stderr: stdout is reserved for the command.
  const child = spawn(command, args, { cwd: folder, env: npmEnvironment(), stdio: ['ignore', 2, 2] })
  let stoppedBy = null
  const release = onStop(signal => {
    stoppedBy = signal
    child.kill(signal)
  })
  if (child.pid !== undefined) onStarted(child.pid)
  const code = await exitCodeOf(child)
    .catch(error => {
      throw new LaunchError(error.code === 'ENOENT' ? NPM_MISSING : `npm could not be run: ${error.message}`)
    })
    .finally(release)
  if (stoppedBy)
    throw new LaunchError(
      'the installation was stopped; the next start repeats it.',
      128 + constants.signals[stoppedBy],
    )
  if (code !== 0) throw new LaunchError(NPM_FAILED)
}

/** The npm that started this process, otherwise the npm on PATH. */
function npmCommand() {
  const npmCli = process.env.npm_execpath
  return npmCli && basename(npmCli) === 'npm-cli.js' ? [process.execPath, npmCli] : ['npm']
}

/** The environment without the variables by which an npm script would pass on its own project and workspace. */
function npmEnvironment() {
  const env = { ...process.env }
  for (const name of [
    'npm_config_local_prefix',
    'npm_config_workspace',
    'npm_config_workspaces',
    'npm_config_global',
  ]) {
    delete env[name]
  }
  return env
}
