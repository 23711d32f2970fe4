import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isSupported, runtimePackage, verifyRuntime } from '../launcher/runtime.mjs'

const RUNTIME = new URL('../runtime/', import.meta.url)
const PLATFORMS = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']

test('Node from the security releases of July 2026 on is supported: 24.18.1, 26.5.1 and newer ones, never 25', () => {
  for (const version of ['24.18.1', '24.21.0', '26.5.1', '26.10.0', '27.0.0-nightly20261001', '30.1.0']) {
    assert.equal(isSupported(version), true, version)
  }
  for (const version of [
    '18.20.8',
    '20.20.2',
    '22.23.3',
    '23.11.1',
    '24.15.0',
    '24.18.0',
    '25.9.0',
    '26.0.0',
    '26.5.0',
  ]) {
    assert.equal(isSupported(version), false, version)
  }
})

test('every supported platform has a supported Node in the lock file, with its hash', () => {
  const locked = JSON.parse(readFileSync(new URL('package-lock.json', RUNTIME), 'utf8')).packages
  const names = PLATFORMS.map(platformAndArch => {
    const [platform, arch] = platformAndArch.split('-')
    const name = runtimePackage({ platform, arch, isMusl: false })
    const entry = locked[`node_modules/${name}`]
    assert.ok(isSupported(entry.version), `${name} ${entry.version}`)
    assert.match(entry.integrity, /^sha512-/)
    assert.deepEqual([entry.os, entry.cpu].flat(), [platform, arch], 'npm skips it on other platforms')
    assert.equal(entry.hasInstallScript, undefined)
    return `node_modules/${name}`
  })
  assert.deepEqual(Object.keys(locked).sort(), ['', ...names].sort(), 'nothing else is locked')
})

test('an unsupported host is reported with advice', () => {
  assert.throws(() => runtimePackage({ platform: 'linux', arch: 'x64', isMusl: true }), /musl .*Install Node 24\.18\.1/)
  assert.throws(() => runtimePackage({ platform: 'linux', arch: 's390x', isMusl: false }), /linux-s390x\. Install Node/)
  assert.throws(() => runtimePackage({ platform: 'win32', arch: 'x64', isMusl: false }), /win32-x64\. Install Node/)
})

test('a downloaded Node that does not run on this host is rejected with the reason', () => {
  verifyRuntime(process.execPath)
  assert.throws(
    () => verifyRuntime(fileURLToPath(new URL('bin/node', RUNTIME))),
    /does not run on this host \(.*ENOENT/,
  )
  assert.throws(() => verifyRuntime('/bin/false'), /does not run on this host \(no error message\)/)
})
