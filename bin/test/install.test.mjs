import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isInstalled, npmCi, requiredToDevelop, requiredToRun } from '../launcher/install.mjs'

const NPM = fileURLToPath(new URL('fixtures/npm.mjs', import.meta.url))
const START = fileURLToPath(new URL('fixtures/install.mjs', import.meta.url))
const LOCKED = {
  '': { name: 'shop' },
  'packages/till': { version: '0.1.0' },
  'node_modules/till': { resolved: 'packages/till', link: true },
  'node_modules/paper': { version: '1.0.0', integrity: 'sha512-a' },
  'packages/till/node_modules/paper': { version: '2.0.0', integrity: 'sha512-b' },
  'node_modules/ruler': { version: '3.0.0', integrity: 'sha512-c', dev: true },
  'node_modules/ink-elsewhere': { version: '1.0.0', integrity: 'sha512-d', optional: true },
}
let root

beforeEach(() => {
  if (root) rmSync(root, { recursive: true })
  root = mkdtempSync(join(tmpdir(), 'zatgate-install-'))
  mkdirSync(join(root, 'node_modules'))
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: LOCKED }))
})
after(() => rmSync(root, { recursive: true }))

function installed(packages) {
  writeFileSync(join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages }))
}

function without(...paths) {
  return Object.fromEntries(Object.entries(LOCKED).filter(([path]) => !paths.includes(path)))
}

function fakeNpm(mode) {
  return [process.execPath, NPM, mode]
}

function npmCalls() {
  return readFileSync(join(root, 'npm.log'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

function start(mode) {
  return spawn(process.execPath, [START, root, mode], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Resolves with the exit code or signal once every process that holds this start's stderr has ended. */
async function ended(child) {
  child.stderr.resume()
  const [code, signal] = await once(child, 'close')
  return code ?? signal
}

async function lineMatching(child, pattern) {
  for await (const line of createInterface(child.stderr)) if (pattern.test(line)) return line.match(pattern)
  return assert.fail(`ended without a line that matches ${pattern}`)
}

async function runningNpm(child) {
  const [, pid] = await lineMatching(child, /^npm running (\d+)$/)
  return Number(pid)
}

test('an install that matches the lock file counts as installed, even when npm ran outside the launcher', () => {
  installed(without('', 'node_modules/ink-elsewhere'))
  assert.equal(isInstalled(root, requiredToRun), true)
  assert.equal(isInstalled(root, requiredToDevelop), true)
})

test('no install, an interrupted install and an unreadable npm lock file count as not installed', () => {
  assert.equal(isInstalled(root, requiredToRun), false)
  writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{"packages": {')
  assert.equal(isInstalled(root, requiredToRun), false)
  rmSync(join(root, 'node_modules'), { recursive: true })
  assert.equal(isInstalled(root, requiredToRun), false)
})

test('another version, another hash, a missing package or a missing link counts as not installed', () => {
  const paper = 'node_modules/paper'
  const stale = [
    { ...LOCKED, [paper]: { ...LOCKED[paper], version: '1.0.1' } },
    { ...LOCKED, [paper]: { ...LOCKED[paper], integrity: 'sha512-z' } },
    without(paper),
    without('packages/till/node_modules/paper'),
    without('node_modules/till'),
  ]
  for (const packages of stale) {
    installed(packages)
    assert.equal(isInstalled(root, requiredToRun), false)
  }
})

test('the service runs without development tools, the tasks need them', () => {
  installed(without('node_modules/ruler'))
  assert.equal(isInstalled(root, requiredToRun), true)
  assert.equal(isInstalled(root, requiredToDevelop), false)
})

test('a missing lock file is reported by name', () => {
  installed(LOCKED)
  rmSync(join(root, 'package-lock.json'))
  assert.throws(() => isInstalled(root, requiredToRun), /package-lock\.json is missing or unreadable; restore it/)
})

test('npm runs as `ci` without scripts, and the tree counts as not installed while npm runs', async () => {
  installed(LOCKED)
  await npmCi(root, { npm: fakeNpm('work') })
  const [call] = npmCalls()
  assert.equal(call.args[0], 'ci')
  assert.ok(call.args.includes('--ignore-scripts'))
  assert.equal(call.wasInstalled, false)
  assert.equal(isInstalled(root, requiredToDevelop), true)
})

test('the service is installed without development tools, a task installs them', async () => {
  await npmCi(root, { npm: fakeNpm('work'), omitDev: true })
  await npmCi(root, { npm: fakeNpm('work') })
  assert.deepEqual(
    npmCalls().map(({ args }) => args.filter(arg => /=dev$/.test(arg))),
    [['--omit=dev'], ['--include=dev']],
  )
})

test('a failed install counts as not installed and advises the user, and the next start repeats it', async () => {
  installed(LOCKED)
  await assert.rejects(npmCi(root, { npm: fakeNpm('fail') }), /npm could not install .*Check the network/)
  assert.equal(isInstalled(root, requiredToRun), false)
  await npmCi(root, { npm: fakeNpm('work') })
  assert.equal(isInstalled(root, requiredToRun), true)
})

test('a host without npm is advised to install it', async () => {
  await assert.rejects(
    npmCi(root, { npm: [join(root, 'no-such-npm')] }),
    /npm was not found\. Install Node together with npm/,
  )
})

test('of several concurrent starts without an install, one installs', async () => {
  const starts = [start('work'), start('work'), start('work')]
  assert.deepEqual(await Promise.all(starts.map(ended)), [0, 0, 0])
  assert.equal(npmCalls().length, 1)
  assert.equal(await ended(start('work')), 0)
  assert.equal(npmCalls().length, 1, 'npm does not run when everything is installed')
})

test('a stopped install also stops npm, and the next start installs', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    const stopped = start('hang')
    await runningNpm(stopped)
    stopped.kill(signal)
    assert.equal(await ended(stopped), code)
  }
  assert.equal(await ended(start('work')), 0)
  assert.equal(npmCalls().length, 3)
})

test('the next start waits while the npm of a killed start is still running', async () => {
  const killed = start('hang')
  const npm = await runningNpm(killed)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const next = start('work')
  await lineMatching(next, /another start is installing/)
  assert.equal(npmCalls().length, 1)
  process.kill(npm)
  assert.equal(await ended(next), 0)
  assert.equal(npmCalls().length, 2)
})
