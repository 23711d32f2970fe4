import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createVault, UnknownEncryptionKeyError } from '../../src/adapters/crypto/vault.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { withStore } from '../../src/cli/store.ts'
import { type Env, loadConfig } from '../../src/config/settings.ts'
import type { Services } from '../../src/container.ts'
import { runCommand } from '../harness/command-line.ts'
import { openTestContainer, scopeOf } from '../harness/container.ts'
import { testViewingKey } from '../harness/viewing-key.ts'

const dir = mkdtempSync(join(tmpdir(), 'zatgate-cli-'))
after(() => rmSync(dir, { recursive: true, force: true }))

const KEY = randomBytes(32).toString('base64')
const ENV: Env = { DATA_DIR: dir, ENCRYPTION_KEY: KEY }
const VECTORS = join(import.meta.dirname, '../../../../../shared/vectors/testnet-ironwood')

before(() => withStore(loadConfig(ENV), async () => {}, { create: true }))

const zatgate = (line: string | readonly string[], env: Env = ENV) =>
  runCommand(typeof line === 'string' ? line.split(' ').filter(word => word !== '') : line, env)

/** Runs work with the services of a process on the database of the commands. */
async function withServices(work: (services: Services) => Promise<void>): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const { services } = await openTestContainer(scopeOf(stack), { clock: systemClock, env: ENV })
  await work(services)
}

/** Creates an account with a viewing key, as the service would. */
async function openAccount(email: string): Promise<void> {
  await withServices(async ({ accounts, viewingKeys }) => {
    await viewingKeys.set(await accounts.findOrCreate(email), testViewingKey())
  })
}

test('every kind of invalid usage exits with 2 and prints one line', async () => {
  for (const line of [
    '',
    'bogus',
    'account bogus',
    'address --index 1',
    'address --viewing-key x',
    'address --viewing-key x --index -1',
    'address --viewing-key x --index 1.5',
    'address --viewing-key x --index 1 --wrong',
    'address --viewing-key x --index 1 more',
    'open --viewing-key x',
    'open --viewing-key x --tx 00 --blocks f',
    'account plan a@b.c',
    'session create',
    'session create --email',
    'session create --email=',
    'audit --email=',
    'open --viewing-key x --tx=',
    'session end',
    'audit --kind nonsense',
    'audit --limit 201',
    'audit --before x',
    'rescan',
    'rescan --from abc',
    'chain accept',
    'chain accept --from x',
    'chain accept --from 5 --block zz',
    'backup',
    'start now',
  ]) {
    const { code, out, err } = await zatgate(line)
    assert.equal(code, 2, line)
    assert.equal(out, '', line)
    assert.match(err, /^zatgate: [^\n]+\n$/, line)
  }
})

test('address prints the address of an index as text and as JSON', async () => {
  const key = testViewingKey()
  const { code, out } = await zatgate(`address --viewing-key ${key} --index 0`)
  assert.equal(code, 0)
  assert.match(out, /^uregtest1[a-z0-9]+\n$/)
  const { json } = await zatgate(`address --viewing-key ${key} --index 309485009821345068724781055 --json`)
  assert.notEqual(json().address, out.trim())
  assert.deepEqual(Object.keys(json()), ['address', 'diversifier_index'])
})

test('address and open accept an expired viewing key and note that it has expired', async () => {
  const expired = testViewingKey(1, { time: 1_700_000_000n, height: 5 })
  const plain = await zatgate(`address --viewing-key ${testViewingKey()} --index 3`)
  const { code, out, err } = await zatgate(`address --viewing-key ${expired} --index 3`)
  assert.deepEqual([code, out], [0, plain.out])
  assert.match(
    err,
    /The viewing key has expired \(2023-11-14 22:13:20 UTC\): do not use its addresses for new payments\./,
  )
  assert.match(err, /The viewing key expires after block 5\./)
  assert.equal((await zatgate(`address --viewing-key ${expired} --index 3 --json`)).err, '')
  const file = join(dir, 'empty-block.json')
  writeFileSync(file, JSON.stringify({ blocks: { 1: '' } }))
  const opened = await zatgate(`open --viewing-key ${expired} --blocks ${file}`)
  assert.deepEqual([opened.code, opened.out], [0, 'no payments\n'])
  assert.match(opened.err, /has expired/)
  const later = await zatgate(`address --viewing-key ${testViewingKey(1, { time: 32_503_680_000n })} --index 3`)
  assert.match(later.err, /^The viewing key expires on 3000-01-01 00:00:00 UTC\.\n$/)
})

test('commands refuse a database that does not exist, name its path, and create nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-cli-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const dataDir = join(folder, 'mistyped')
  const keys = { ENCRYPTION_KEY: [KEY, randomBytes(32).toString('base64')].join(',') }
  const chain = { NETWORK: 'regtest', LIGHTWALLETD_URL: 'http://127.0.0.1:1', SMTP_URL: 'smtp://127.0.0.1:1' }
  for (const line of [
    `backup ${join(folder, 'backup.db')}`,
    'account list',
    'account plan a@example.org Pro',
    'account delete a@example.org',
    'session create --email a@example.org',
    'session end --email a@example.org',
    'withdrawals list',
    'audit',
    'restored',
    'rotate-encryption-key',
    'rescan --from 1',
    'chain accept --from 1',
  ]) {
    const settings = /^(rescan|chain)/.test(line) ? { ...chain, MAIL_FROM: 'a@example.org' } : {}
    const { code, err } = await zatgate(line, { DATA_DIR: dataDir, ...keys, ...settings })
    assert.equal(code, 1, line)
    const path = join(dataDir, 'zatgate.db')
    assert.equal(
      err,
      `zatgate: there is no database at ${path}: check DATA_DIR and DATABASE_URL; the first start creates it\n`,
    )
  }
  assert.match((await zatgate('account create nonsense', { DATA_DIR: dataDir })).err, /^zatgate: invalid email: /)
  assert.deepEqual(readdirSync(folder), [])
})

test('a failed command exits with 1 and prints the reason', async () => {
  for (const [line, reason] of [
    ['address --viewing-key nonsense --index 0', /viewing-key/],
    [`address --viewing-key ${testViewingKey()} --index 309485009821345068724781056`, /index/],
    [`open --viewing-key ${testViewingKey()} --tx zz`, /not hex/],
    [`open --viewing-key ${testViewingKey()} --tx 0500`, /invalid tx/],
    [`open --viewing-key ${testViewingKey()} --blocks ${join(dir, 'absent.json')}`, /cannot be read/],
    ['session create --email nobody@example.org', /no such account/],
    ['account plan nobody@example.org Pro', /no such account/],
    ['rotate-encryption-key', /ENCRYPTION_KEY holds one key/],
  ] as const) {
    const { code, err } = await zatgate(line)
    assert.equal(code, 1, line)
    assert.match(err, reason)
    assert.match(err, /^zatgate: [^\n]+\n$/)
  }
})

test('open rejects an invalid block file', async () => {
  const file = join(dir, 'blocks.json')
  for (const text of [
    '',
    '[]',
    '{}',
    '{"blocks": {}}',
    '{"blocks": {"x": ""}}',
    '{"blocks": {"1": 5}}',
    '{"blocks": {"1": "/w=="}}',
  ]) {
    writeFileSync(file, text)
    const { code, err } = await zatgate(`open --viewing-key ${testViewingKey()} --blocks ${file}`)
    assert.equal(code, 1, text)
    assert.match(err, /invalid blocks/, text)
  }
})

const skipVectors = existsSync(VECTORS) ? false : 'the official vectors are not installed next to this repository'
test('open lists exactly the external notes of real testnet blocks', { skip: skipVectors }, async () => {
  const key = readFileSync(join(VECTORS, 'issuer-ufvk.txt'), 'utf8').trim()
  const expected = JSON.parse(readFileSync(join(VECTORS, 'expected-notes.json'), 'utf8'))
    .filter((note: { scope: string; key: string }) => note.scope === 'external' && note.key === 'issuer')
    .map(({ txid, pool, action, value_zat }: Record<string, unknown>) => ({
      txid,
      pool,
      action,
      amount_zat: value_zat,
    }))
  const { json } = await zatgate([
    'open',
    '--viewing-key',
    key,
    '--blocks',
    join(VECTORS, 'compact-blocks.json'),
    '--json',
  ])
  const listed = json().map(({ txid, pool, action, amount_zat }: Record<string, unknown>) => ({
    txid,
    pool,
    action,
    amount_zat,
  }))
  assert.ok(expected.length > 0)
  assert.deepEqual(listed, expected)
  for (const payment of json())
    assert.deepEqual(Object.keys(payment), ['txid', 'pool', 'action', 'amount_zat', 'diversifier_index', 'address'])
})

test('the operator lists accounts, sets a plan and creates a working session', async () => {
  assert.match((await zatgate('account list')).out, /no accounts yet/)
  await openAccount('Shop@Example.org')
  const [account] = (await zatgate('account list --json')).json()
  assert.deepEqual([account.email, account.plan, account.viewing_key_set], ['shop@example.org', 'Free', true])

  assert.equal((await zatgate('account plan shop@example.org Gold')).code, 1)
  assert.match((await zatgate('account plan SHOP@example.org Pro')).out, /on the Pro plan/)
  assert.match((await zatgate('account list')).out, /^EMAIL +PLAN.*\nshop@example\.org +Pro /)

  const { json } = await zatgate('session create --email shop@example.org --json')
  const { session_token: token } = json()
  const plain = await zatgate('session create --email shop@example.org')
  assert.match(plain.out, /^zgs_[0-9A-Za-z]{49}\n$/)
  await withServices(async ({ sessions }) => {
    assert.equal((await sessions.authenticate(token))?.account.email, 'shop@example.org')
  })

  assert.equal((await zatgate('session end --email Shop@example.org --json')).json().ended, 2)
  assert.equal((await zatgate('session end --email shop@example.org --json')).json().ended, 0)
  await withServices(async ({ sessions }) => assert.equal(await sessions.authenticate(token), null))

  const log = (await zatgate('audit --email shop@example.org --json')).json()
  const shown = log.map(({ kind, by, detail }: Record<string, unknown>) => [kind, by, detail])
  const issued = ['session_token_issued', 'operator', 'command line']
  assert.deepEqual(shown, [
    ['sessions_ended', 'operator', null],
    issued,
    issued,
    ['plan_assigned', 'operator', 'Pro'],
    ['viewing_key_set', 'service', null],
  ])
  assert.match(
    (await zatgate('audit --kind plan_assigned')).out,
    /^ID .*\n\d+ .*shop@example\.org +plan_assigned +operator/,
  )
  assert.equal((await zatgate(`audit --before ${log[0].id} --limit 1 --json`)).json()[0].id, log[1].id)
})

test('backup writes a usable copy, never overwrites a file and creates no folder', async () => {
  await openAccount('backup@example.org')
  const file = join(dir, 'copy.db')
  assert.equal((await zatgate(`backup ${file}`)).code, 0)
  const { json } = await zatgate('account list --json', { ...ENV, DATABASE_URL: `sqlite:${file}` })
  assert.ok(json().some(({ email }: { email: string }) => email === 'backup@example.org'))
  const { code, err } = await zatgate(`backup ${file}`)
  assert.equal(code, 1)
  assert.match(err, /already exists/)
  const elsewhere = await zatgate(`backup ${join(dir, 'no-such-folder/copy.db')}`)
  assert.match(elsewhere.err, /there is no folder .*no-such-folder: create it first/)
})

test('after rotate-encryption-key only the new key decrypts the secrets', async () => {
  await openAccount('rotate@example.org')
  const next = randomBytes(32).toString('base64')
  const { code, json } = await zatgate('rotate-encryption-key --json', { ...ENV, ENCRYPTION_KEY: `${next},${KEY}` })
  assert.equal(code, 0)
  assert.ok(json().secrets >= 1)
  await withStore(loadConfig(ENV), async store => {
    const [key] = await store.read(tx => tx.viewingKeys.list())
    const context = { table: 'viewing_keys', column: 'sealed', row: key!.id }
    const open = (secret: string) =>
      createVault([Buffer.from(secret, 'base64')], systemRandom).open(key!.sealed, context)
    assert.equal(open(next).length, 64)
    assert.throws(() => open(KEY), UnknownEncryptionKeyError)
  })
  assert.match(
    (await zatgate('doctor')).out,
    /WRONG +database: ENCRYPTION_KEY lacks the key that encrypted the secrets in the database/,
  )
  await zatgate('rotate-encryption-key', { ...ENV, ENCRYPTION_KEY: `${KEY},${next}` })
  assert.match((await zatgate('doctor')).out, /ok +database/)
})

test('doctor lists every invalid setting with advice and exits with 1', async () => {
  const { code, json } = await zatgate('doctor --json', { ...ENV, NETWORK: 'main', PORT: 'x' })
  assert.equal(code, 1)
  const findings = json()
  assert.ok(findings.length >= 4)
  for (const { check, state, advice } of findings)
    assert.deepEqual([check, state, advice.length > 5], ['settings', 'wrong', true])
})

test('doctor detects an unreachable chain source, mail server and swap provider', async () => {
  const env = {
    ...ENV,
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: 'http://127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@b.c',
    SWAP_API_URL: 'http://127.0.0.1:1',
  }
  const { code, json } = await zatgate('doctor --json', env)
  assert.equal(code, 1)
  const states = new Map(json().map(({ check, state }: { check: string; state: string }) => [check, state]))
  assert.equal(states.get('database'), 'ok')
  for (const check of ['chain source 127.0.0.1:1', 'mail', 'swap provider'])
    assert.equal(states.get(check), 'wrong', check)
})

test('start without a network and without the sandbox reports the missing settings', async () => {
  const { code, err } = await zatgate('start')
  assert.equal(code, 1)
  assert.match(err, /NETWORK and LIGHTWALLETD_URL are not set/)
})

test('start without the role api prints its roles instead of an address', async t => {
  const settings = {
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: 'http://127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@b.c',
    ROLES: 'watcher,delivery',
    LOG_LEVEL: 'silent',
  }
  const main = join(import.meta.dirname, '../../../../bin/main.ts')
  const child = spawn(process.execPath, [main, 'start'], { env: { ...process.env, ...ENV, ...settings } })
  t.after(() => child.kill('SIGKILL'))
  const [output] = await once(child.stdout, 'data')
  assert.equal(String(output), 'zatgate runs the roles: watcher, delivery\n')
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

test('doctor reports a deprecated setting as a warning and exits with 0', async () => {
  const env = { ...ENV, SANDBOX_NU63_HEIGHT: '24' }
  const { code, json } = await zatgate('doctor --json', env)
  assert.equal(code, 0)
  assert.deepEqual(
    json().filter(
      ({ state, says }: { state: string; says: string }) => state === 'warning' && !says.endsWith('as root'),
    ),
    [
      {
        check: 'settings',
        state: 'warning',
        says: 'SANDBOX_NU63_HEIGHT is the old name of REGTEST_NU63_HEIGHT: rename it; the old name still works',
      },
    ],
  )
  assert.match((await zatgate('doctor', env)).out, /^WARNING {2}settings: SANDBOX_NU63_HEIGHT is the old name/m)
})

test('start logs each settings warning once', async t => {
  const settings = {
    ...ENV,
    DATA_DIR: join(dir, 'warned'),
    PORT: '0',
    SANDBOX_PORT: '0',
    AUTO_MINE_SECS: '0',
    SANDBOX_NU63_HEIGHT: '24',
    LOG_LEVEL: 'warn',
  }
  const main = join(import.meta.dirname, '../../../../bin/main.ts')
  const child = spawn(process.execPath, [main, 'start', '--json'], { env: { ...process.env, ...settings } })
  t.after(() => child.kill('SIGKILL'))
  let logged = ''
  child.stderr.on('data', chunk => {
    logged += chunk
  })
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'close'), [0, null])
  assert.equal(logged.split('is the old name of').length, 2, logged)
})
