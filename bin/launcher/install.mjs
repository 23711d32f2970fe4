import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, join } from 'node:path'
import { LaunchError } from './fail.mjs'
import { withLock } from './lock.mjs'
import { exitCodeOf, onStop } from './processes.mjs'

const NPM_MISSING = 'npm was not found. Install Node with its npm (https://nodejs.org), then start again.'
const NPM_FAILED =
  'npm could not install what is missing (its own message is above). Check the network and the npm registry setting, then start again.'

/**
 * Whether node_modules holds just what package-lock.json names. npm itself writes node_modules/.package-lock.json as the
 * last step of an install, so an interrupted one is never taken for whole, and one made by hand is.
 *
 * @param {string} folder where package.json lies
 * @param {(path: string, entry: object) => boolean} wanted which entries of the lock file must be there
 */
export function isInstalled(folder, wanted) {
  const installed = lockedPackages(join(folder, 'node_modules', '.package-lock.json'))
  if (!installed) return false
  const locked = lockedPackages(join(folder, 'package-lock.json'))
  if (!locked)
    throw new LaunchError(`${join(folder, 'package-lock.json')} is missing or unreadable; restore it from git.`)
  return Object.entries(locked)
    .filter(([path, entry]) => path.includes('node_modules/') && wanted(path, entry))
    .every(([path, entry]) => isSame(entry, installed[path]))
}

/** What every command needs. Optional entries differ by platform: npm leaves those of others out. */
export function neededToRun(_path, entry) {
  return !(entry.optional || entry.devOptional || entry.dev)
}

/** What the project's own tasks need: the tools too. */
export function neededToDevelop(_path, entry) {
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
 * Of several starts that find something missing, one installs and the others wait for it.
 *
 * @param {string} lock the folder to hold meanwhile
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
 * `npm ci`: exactly what the lock file says, each tarball checked against its hash, no package's scripts run.
 *
 * @param {string} folder where package.json and package-lock.json lie
 * @param {{ npm?: string[], onStarted?: (pid: number) => void }} [options] `npm` is the command that runs npm
 * @throws {LaunchError} when npm is missing, fails or is stopped
 */
export async function npmCi(folder, { npm = npmCommand(), onStarted = () => {} } = {}) {
  // Removed first: npm empties node_modules in no set order, and a half-emptied one must not look whole.
  rmSync(join(folder, 'node_modules', '.package-lock.json'), { force: true })
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  // Against settings of the host that would leave parts out, or refuse for a warning's sake.
  const complete = ['--include=dev', '--include=optional', '--engine-strict=false']
  const [command, ...args] = [...npm, 'ci', ...options, ...complete]
  // npm's own words go to stderr as well: stdout is the command's.
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
    throw new LaunchError('the install was stopped; the next start does it again.', 128 + constants.signals[stoppedBy])
  if (code !== 0) throw new LaunchError(NPM_FAILED)
}

/** The npm that started us, else the one on PATH. */
function npmCommand() {
  const started = process.env.npm_execpath
  return started && basename(started) === 'npm-cli.js' ? [process.execPath, started] : ['npm']
}

/** A script's environment names the project and workspace npm was asked about; ours is another errand. */
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
