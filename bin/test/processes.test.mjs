import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const LAUNCHER = fileURLToPath(new URL('fixtures/launcher.mjs', import.meta.url))
const PROJECT = new URL('../../package.json', import.meta.url)
const TIMEOUT_MS = 20_000

/**
 * Starts a chain of processes that ends in the service and waits until the service is running.
 * All processes share this pipe, so its end proves that all of them have exited.
 * Their group is killed after the test, so that a failed test leaves no process behind.
 */
async function startChain(t, command, args, options = {}) {
  const top = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const ended = once(top, 'close')
  t.after(() => {
    try {
      process.kill(-top.pid, 'SIGKILL')
    } catch (error) {
      assert.equal(error.code, 'ESRCH')
    }
  })
  const lines = createInterface(top.stdout)[Symbol.asyncIterator]()
  for (;;) {
    const { value, done } = await lines.next()
    assert.ok(!done, 'the chain ended before the service was running')
    const up = value.match(/^up (\d+) (\d+)$/)
    if (up)
      return {
        group: -top.pid,
        top: top.pid,
        launcher: Number(up[2]),
        service: Number(up[1]),
        allEnded: () => remainingOutput(lines, ended),
      }
  }
}

async function remainingOutput(lines, ended) {
  const output = []
  for await (const line of lines) output.push(line)
  const [code, signal] = await ended
  return { output, status: code ?? signal }
}

test('the launcher exits with the exit code of the command, or with 128 + n after signal n', () => {
  const status = (...args) => spawnSync(process.execPath, [LAUNCHER, ...args]).status
  assert.equal(status('exit', '0'), 0)
  assert.equal(status('exit', '2'), 2)
  assert.equal(status('die'), 137)
})

test('a command that cannot be started is reported in one line, with exit code 1', () => {
  const code = `
    import { exitWith } from ${JSON.stringify(new URL('../launcher/launch.mjs', import.meta.url))}
    import { runInForeground } from ${JSON.stringify(new URL('../launcher/processes.mjs', import.meta.url))}
    await exitWith(() => runInForeground('/no/such/node', []))`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.equal(stdout, '')
  assert.equal(stderr, 'zatgate: /no/such/node cannot be started: spawn /no/such/node ENOENT\n')
})

describe('the launcher alone', { timeout: TIMEOUT_MS }, () => {
  for (const [name, target, signal, output, status] of [
    ['SIGINT to the launcher stops the service cleanly', 'launcher', 'SIGINT', 'stopped by SIGINT', 0],
    ['SIGTERM to the launcher stops the service cleanly', 'launcher', 'SIGTERM', 'stopped by SIGTERM', 0],
    ['SIGHUP to the launcher stops the service cleanly', 'launcher', 'SIGHUP', 'stopped by parent exit', 'SIGHUP'],
    ['SIGKILL to the launcher stops the service cleanly', 'launcher', 'SIGKILL', 'stopped by parent exit', 'SIGKILL'],
    ['a signal to the service ends both processes with its exit code', 'service', 'SIGTERM', 'stopped by SIGTERM', 0],
    ['Ctrl-C, which signals all processes, stops the service cleanly', 'group', 'SIGINT', 'stopped by SIGINT', 0],
  ])
    test(name, async t => {
      const chain = await startChain(t, process.execPath, [LAUNCHER])
      process.kill(chain[target], signal)
      assert.deepEqual(await chain.allEnded(), { output: [output], status })
    })
})

describe('the launcher under npm', { timeout: 3 * TIMEOUT_MS }, () => {
  let folder
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'zatgate-chain-'))
    // `start` uses `exec` like the project's scripts, so that no shell runs between npm and the launcher.
    const scripts = {
      start: `exec "${process.execPath}" "${LAUNCHER}"`,
      shell: `"${process.execPath}" "${LAUNCHER}"; exit $?`,
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'chain', private: true, scripts }))
  })
  after(() => rmSync(folder, { recursive: true }))

  const startByNpm = (t, script) => startChain(t, 'npm', ['run', '--silent', script], { cwd: folder })

  test('the project’s npm scripts run the launcher without an intermediate shell', async () => {
    const { default: project } = await import(PROJECT, { with: { type: 'json' } })
    for (const script of Object.values(project.scripts)) assert.match(script, /^exec node bin\//)
  })

  for (const signal of ['SIGINT', 'SIGTERM'])
    for (const target of ['npm', 'launcher'])
      test(`${signal} to ${target === 'npm' ? 'npm' : 'the launcher under npm'} stops the service cleanly`, async t => {
        if (target === 'npm' && !npmForwardsSignals()) return t.skip('npm 9.6.6 to 10.2 do not forward signals')
        const chain = await startByNpm(t, 'start')
        process.kill(target === 'npm' ? chain.top : chain.launcher, signal)
        assert.deepEqual(await chain.allEnded(), { output: [`stopped by ${signal}`], status: 0 })
      })

  test('kill -9 of npm stops the service cleanly', async t => {
    const chain = await startByNpm(t, 'start')
    process.kill(chain.top, 'SIGKILL')
    assert.deepEqual(await chain.allEnded(), { output: ['stopped by SIGTERM'], status: 'SIGKILL' })
  })

  test('kill -9 of the launcher under npm stops the service cleanly', async t => {
    const chain = await startByNpm(t, 'start')
    process.kill(chain.launcher, 'SIGKILL')
    assert.deepEqual((await chain.allEnded()).output, ['stopped by parent exit'])
  })

  test('with an intermediate shell, killing npm or the shell stops the service cleanly', async t => {
    for (const victim of ['npm', 'shell']) {
      const chain = await startByNpm(t, 'shell')
      const shell = Number(spawnSync('ps', ['-o', 'ppid=', '-p', chain.launcher], { encoding: 'utf8' }).stdout)
      assert.notEqual(shell, chain.top, 'an intermediate shell is running')
      process.kill(victim === 'npm' ? chain.top : shell, 'SIGKILL')
      assert.deepEqual((await chain.allEnded()).output, ['stopped by SIGTERM'], victim)
    }
  })
})

function npmForwardsSignals() {
  const version = spawnSync('npm', ['--version'], { encoding: 'utf8' }).stdout.trim()
  const [major, minor, patch] = version.split('.').map(Number)
  const number = major * 1e6 + minor * 1e3 + patch
  return number < 9_006_006 || number >= 10_003_000
}
