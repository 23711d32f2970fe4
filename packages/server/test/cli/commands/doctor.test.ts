import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { Chain } from '@zatgate/sandbox/chain/chain'
import { closeServer, listen } from '@zatgate/sandbox/http/listen'
import type { LightwalletdFaults } from '@zatgate/sandbox/lightwalletd/faults'
import { Lightwalletd } from '@zatgate/sandbox/lightwalletd/server'
import { run } from '../../../src/cli/main.ts'
import { withStore } from '../../../src/cli/store.ts'
import { type Env, loadConfig } from '../../../src/config/settings.ts'
import type { Store } from '../../../src/ports/store.ts'
import { header, makeViewingKey } from '../../harness/fixtures.ts'
import { SkewedClock } from '../../harness/skewed-clock.ts'

interface Finding {
  readonly check: string
  readonly state: string
  readonly says: string
  readonly advice?: string
}

const HEIGHT = 13

/** Runs doctor against a network (default testnet) whose blocks were mined `agoSecs` ago, and returns its findings. */
async function runDoctor(
  t: TestContext,
  agoSecs: number,
  prepare = async (_env: Env) => {},
  network: 'test' | 'regtest' = 'test',
  faults: Partial<LightwalletdFaults> = {},
): Promise<Finding[]> {
  const dir = mkdtempSync(join(tmpdir(), 'zatgate-doctor-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const chain = new Chain({ network, clock: new SkewedClock({ unixSecs: Math.floor(Date.now() / 1000) - agoSecs }) })
  chain.mine(HEIGHT - chain.height)
  const server = await Lightwalletd.start(chain, 0, faults)
  t.after(() => server.close())
  const env: Env = {
    NETWORK: network,
    LIGHTWALLETD_URL: server.url,
    DATA_DIR: dir,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@example.org',
  }
  await prepare(env)
  const stdout = new PassThrough().setEncoding('utf8')
  await run(['doctor', '--json'], { env, stdout, stderr: process.stderr })
  return JSON.parse(stdout.read())
}

/** Creates the database, as the service does. */
const withNewStore = (env: Env, work: (store: Store) => Promise<unknown>) =>
  withStore(loadConfig(env), async store => void (await work(store)), { create: true })

const clockOf = (findings: readonly Finding[]) => findings.find(({ check }) => check === 'clock')

test('doctor reports `ok` when the newest blocks agree with the clock', async t => {
  const findings = await runDoctor(t, 60, env => withNewStore(env, async () => {}))
  assert.equal(clockOf(findings)?.state, 'ok')
  assert.match(clockOf(findings)?.says ?? '', /^the newest block is 6\d s old$/)
  assert.deepEqual(
    findings.find(({ check }) => check === 'recorded chain'),
    { check: 'recorded chain', state: 'ok', says: 'no block is recorded yet' },
  )
})

test('doctor warns where there is no database, and creates none', async t => {
  let dir = ''
  const findings = await runDoctor(t, 60, async env => {
    dir = env.DATA_DIR ?? ''
  })
  assert.deepEqual(
    findings.filter(({ check }) => check === 'database'),
    [
      {
        check: 'database',
        state: 'warning',
        says: `there is no database at ${join(dir, 'zatgate.db')}`,
        advice: 'the first start creates it; if the service has run before, check DATA_DIR and DATABASE_URL',
      },
    ],
  )
  assert.deepEqual(readdirSync(dir), [])
})

test('doctor reports a stalled server and its consequence', async t => {
  const finding = clockOf(await runDoctor(t, 1_600))
  assert.equal(finding?.state, 'wrong')
  assert.match(finding?.says ?? '', /^the newest block of 127\.0\.0\.1:\d+ is 16\d\d s old$/)
  assert.match(finding?.advice ?? '', /no invoice expires until a new block arrives/)
})

test('doctor reports how far the clock is ahead of or behind the chain', async t => {
  const ahead = clockOf(await runDoctor(t, 3 * 3_600))
  assert.equal(ahead?.state, 'wrong')
  assert.match(ahead?.says ?? '', /^10[89]\d\d s ahead of the newest blocks of/)
  const behind = clockOf(await runDoctor(t, -3_600))
  assert.match(behind?.says ?? '', /^3[56]\d\d s behind the newest blocks of/)
})

test('doctor detects a broken link between recorded blocks', async t => {
  const findings = await runDoctor(t, 60, async env => {
    await withNewStore(env, store => store.write(tx => tx.chain.appendHeaders([header(5), header(7)])))
  })
  const finding = findings.find(({ check }) => check === 'recorded chain')
  assert.equal(finding?.state, 'wrong')
  assert.equal(finding?.says, 'block 7 does not build on the recorded block below it')
  assert.match(finding?.advice ?? '', /restart the process with the role watcher/)
})

test('doctor reads the mempool the way the watcher does', async t => {
  const mempool = (await runDoctor(t, 60)).find(({ check }) => check.startsWith('mempool'))
  assert.deepEqual([mempool?.state, mempool?.says], ['ok', '0 transactions'])
})

test('doctor reports problems that the running watcher has recorded', async t => {
  const findings = await runDoctor(t, 60, async env => {
    const problems = [{ problem: 'upgrade_not_followed', upgrade: 'NU7' }] as const
    await withNewStore(env, store => store.write(tx => tx.chain.setProblems(problems, 1)))
  })
  const finding = findings.find(({ check }) => check === 'watcher')
  assert.equal(finding?.state, 'wrong')
  assert.match(finding?.says ?? '', /^the server does not follow NU7/)
})

test('doctor lists each row that is set aside, with what to do', async t => {
  const findings = await runDoctor(t, 60, async env => {
    const entry = { accountId: 3, error: 'does not open', failures: 2, firstAt: 60, nextAttemptAt: 180, fromHeight: 1 }
    await withNewStore(env, store =>
      store.write(tx => tx.setAside.put({ ...entry, kind: 'scan_key', rowId: 5, reference: 'ab' })),
    )
  })
  const [finding, ...others] = findings.filter(({ check }) => check === 'rows set aside')
  assert.deepEqual(others, [])
  assert.equal(finding?.state, 'wrong')
  assert.match(
    finding?.says ?? '',
    /^scan_key id 5 of account 3: does not open; failed 2 times since .*, next attempt /,
  )
  assert.match(finding?.advice ?? '', /ENCRYPTION_KEY.*the missed blocks are then read automatically$/)
  const healthy = await runDoctor(t, 60, env => withNewStore(env, async () => {}))
  assert.equal(healthy.find(({ check }) => check === 'rows set aside')?.says, 'none')
})

test('doctor warns when nearly as many keys are watched as allowed', async t => {
  const findings = await runDoctor(t, 60, async env => {
    Object.assign(env, { MAX_WATCHED_KEYS: '1' })
    await withNewStore(env, async store => {
      const { id } = await makeViewingKey(store)
      await store.write(tx => tx.viewingKeys.extendWatch(id, Math.floor(Date.now() / 1000)))
    })
  })
  const finding = findings.find(({ check }) => check === 'watched keys')
  assert.deepEqual([finding?.state, finding?.says], ['warning', '1 of at most 1 viewing keys'])
  assert.match(finding?.advice ?? '', /^raise MAX_WATCHED_KEYS/)
})

for (const [blocks, announced] of [
  [2_000, true],
  [2_001, false],
] as const) {
  test(`doctor ${announced ? 'announces' : 'does not yet announce'} an upgrade ${blocks} blocks ahead`, async t => {
    const prepare = async (env: Env) => void Object.assign(env, { REGTEST_NU7_HEIGHT: String(HEIGHT + blocks) })
    const findings = await runDoctor(t, 60, prepare, 'regtest')
    const finding = findings.find(({ check }) => check === 'network upgrade')
    assert.equal(finding?.state, announced ? 'warning' : undefined)
    if (announced) {
      assert.equal(finding?.says, `NU7 begins at height ${HEIGHT + 2_000}, in 2000 blocks (about 41.7 hours)`)
      assert.equal(finding?.advice, 'check that your server supports NU7')
    }
  })
}

test('doctor warns about a node that may still be syncing and skips the clock check', async t => {
  const findings = await runDoctor(t, 3 * 3_600, async () => {}, 'test', { estimatedHeight: HEIGHT + 300 })
  const source = findings.find(({ check, state }) => check.startsWith('chain source') && state === 'warning')
  assert.equal(source?.says, 'its node estimates that it is 300 blocks behind its network: it may still be syncing')
  assert.equal(clockOf(findings)?.state, 'skipped')
})

for (const [network, says] of [
  ['test', `at height ${HEIGHT}, but the public testnet is above height 4134000`],
  ['regtest', undefined],
] as const)
  test(`doctor ${says ? 'warns' : 'does not warn'} about a chain of ${HEIGHT} blocks with NETWORK=${network}`, async t => {
    const findings = await runDoctor(t, 60, async () => {}, network)
    const source = findings.find(({ check, state }) => check.startsWith('chain source') && state === 'warning')
    assert.equal(source?.says, says)
  })

test('doctor reports a server that does not serve its mempool, with the consequence', async t => {
  const findings = await runDoctor(t, 60, async () => {}, 'test', { mempoolFails: true })
  const mempool = findings.find(({ check }) => check.startsWith('mempool'))
  assert.equal(mempool?.state, 'wrong')
  assert.match(mempool?.advice ?? '', /^payments appear only once mined, and no invoice expires/)
})

test('doctor asks the swap provider with the key that the service sends', async t => {
  const keys: unknown[] = []
  const provider = createServer((request, response) => {
    keys.push(request.headers['x-api-key'])
    response.setHeader('content-type', 'application/json').end('[]')
  })
  const port = await listen(provider, 0)
  t.after(() => closeServer(provider))
  const findings = await runDoctor(t, 60, async env => {
    Object.assign(env, { SWAP_API_URL: `http://127.0.0.1:${port}`, SWAP_API_KEY: 'short' })
  })
  assert.deepEqual(keys, ['short'])
  assert.match(findings.find(({ check }) => check === 'swap provider')?.says ?? '', /^0 assets in \d+ ms$/)
})
