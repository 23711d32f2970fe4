import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, beforeEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isInstalled, neededToDevelop, neededToRun, npmCi } from '../launcher/install.mjs'

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

function fakeNpm(how) {
  return [process.execPath, NPM, how]
}

function npmCalls() {
  return readFileSync(join(root, 'npm.log'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

function start(how) {
  return spawn(process.execPath, [START, root, how], { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Once every process that speaks for this start has ended. */
async function ended(child) {
  child.stderr.resume()
  const [code, signal] = await once(child, 'close')
  return code ?? signal
}

async function said(child, pattern) {
  for await (const line of createInterface(child.stderr)) if (pattern.test(line)) return line.match(pattern)
  return assert.fail(`ended without saying ${pattern}`)
}

async function npmAtWork(child) {
  const [, pid] = await said(child, /^npm at work (\d+)$/)
  return Number(pid)
}

test('what npm installed from this very lock file is present, whoever ran npm', () => {
  installed(without('', 'node_modules/ink-elsewhere'))
  assert.equal(isInstalled(root, neededToRun), true)
  assert.equal(isInstalled(root, neededToDevelop), true)
})

test('nothing installed, an interrupted install and an unreadable note are all missing', () => {
  assert.equal(isInstalled(root, neededToRun), false)
  writeFileSync(join(root, 'node_modules', '.package-lock.json'), '{"packages": {')
  assert.equal(isInstalled(root, neededToRun), false)
  rmSync(join(root, 'node_modules'), { recursive: true })
  assert.equal(isInstalled(root, neededToRun), false)
})

test('another version, another content, a missing package or link: stale', () => {
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
    assert.equal(isInstalled(root, neededToRun), false)
  }
})

test('a service needs no tools, the tasks do', () => {
  installed(without('node_modules/ruler'))
  assert.equal(isInstalled(root, neededToRun), true)
  assert.equal(isInstalled(root, neededToDevelop), false)
})

test('without a lock file the fault is named', () => {
  installed(LOCKED)
  rmSync(join(root, 'package-lock.json'))
  assert.throws(() => isInstalled(root, neededToRun), /package-lock\.json is missing or unreadable; restore it/)
})

test('npm is run as `ci`, without scripts, and a tree it may break is not called whole meanwhile', async () => {
  installed(LOCKED)
  await npmCi(root, { npm: fakeNpm('work') })
  const [call] = npmCalls()
  assert.equal(call.args[0], 'ci')
  assert.ok(call.args.includes('--ignore-scripts'))
  assert.equal(call.wasWhole, false)
  assert.equal(isInstalled(root, neededToDevelop), true)
})

test('an install that failed is not there, its start says what to do, and the next one makes it anew', async () => {
  installed(LOCKED)
  await assert.rejects(npmCi(root, { npm: fakeNpm('fail') }), /npm could not install .*Check the network/)
  assert.equal(isInstalled(root, neededToRun), false)
  await npmCi(root, { npm: fakeNpm('work') })
  assert.equal(isInstalled(root, neededToRun), true)
})

test('a host without npm is told to get it', async () => {
  await assert.rejects(
    npmCi(root, { npm: [join(root, 'no-such-npm')] }),
    /npm was not found\. Install Node with its npm/,
  )
})

test('of several starts that find it missing, one installs', async () => {
  const starts = [start('work'), start('work'), start('work')]
  assert.deepEqual(await Promise.all(starts.map(ended)), [0, 0, 0])
  assert.equal(npmCalls().length, 1)
  assert.equal(await ended(start('work')), 0)
  assert.equal(npmCalls().length, 1, 'and with all present nobody calls npm')
})

test('an install asked to stop takes npm with it, and the next start installs', async () => {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    const stopped = start('hang')
    await npmAtWork(stopped)
    stopped.kill(signal)
    assert.equal(await ended(stopped), code)
  }
  assert.equal(await ended(start('work')), 0)
  assert.equal(npmCalls().length, 3)
})

test('while the npm of a killed start still works, the next start waits for it', async () => {
  const killed = start('hang')
  const npm = await npmAtWork(killed)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  const next = start('work')
  await said(next, /another start is installing/)
  assert.equal(npmCalls().length, 1)
  process.kill(npm)
  assert.equal(await ended(next), 0)
  assert.equal(npmCalls().length, 2)
})
