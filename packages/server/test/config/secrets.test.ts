import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SECRETS } from '../../src/config/setting-table.ts'
import { ConfigError, type Env, loadConfig } from '../../src/config/settings.ts'

const dir = mkdtempSync(join(tmpdir(), 'zatgate-secrets-'))
after(() => rmSync(dir, { recursive: true }))

const KEY = Buffer.alloc(32, 7).toString('base64')
const REAL: Env = {
  DATA_DIR: dir,
  NETWORK: 'main',
  LIGHTWALLETD_URL: 'https://one.example',
  SMTP_URL: 'smtp://mail.example:587',
  MAIL_FROM: 'shop@example.org',
  ENCRYPTION_KEY: KEY,
  SWAP_API_URL: 'https://swaps.example',
}

function problemsOf(env: Env): readonly string[] {
  try {
    loadConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

function file(name: string, text: string): string {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

const VALUES: Record<string, string> = {
  BILLING_VIEWING_KEY: `uview1${'qpzry9x8'.repeat(20)}`,
  DATABASE_URL: 'postgres://shop:secret@db.example/shop?sslmode=verify-full',
  ENCRYPTION_KEY: KEY,
  METRICS_TOKEN: 'a-token-of-the-metrics',
  SMTP_URL: 'smtps://user:secret@mail.example',
  SWAP_API_KEY: 'a-key-of-the-provider',
  SWAP_SIGNING_KEY: `ed25519:${'A'.repeat(43)}`,
}

test('every secret setting can be a file, with the same result', () => {
  assert.deepEqual(Object.keys(VALUES), [...SECRETS])
  for (const [name, value] of Object.entries(VALUES)) {
    const asFile = loadConfig({ ...REAL, [name]: '', [`${name}_FILE`]: file(name, `${value}\n`) })
    assert.deepEqual(asFile, loadConfig({ ...REAL, [name]: value }), name)
  }
})

test('a secret that is set twice, or whose file is unreadable, empty or invalid, is reported without its content', () => {
  for (const [name, value] of Object.entries(VALUES)) {
    const [absent, empty] = [join(dir, 'absent'), file('empty', ' \n')]
    const from = (path: string) => problemsOf({ ...REAL, [name]: '', [`${name}_FILE`]: path })
    assert.deepEqual(problemsOf({ ...REAL, [name]: value, [`${name}_FILE`]: file(name, value) }), [
      `${name} and ${name}_FILE are both set: set only one of them`,
    ])
    assert.deepEqual(from(absent), [`${name}_FILE is ${absent}, which cannot be read`])
    assert.deepEqual(from(dir), [`${name}_FILE is ${dir}, which cannot be read`])
    assert.deepEqual(from(empty), [`${name}_FILE is ${empty}, which is empty`])
    const invalid = from(file('invalid', 'not this')).join()
    assert.match(invalid, new RegExp(`^${name} is invalid: it should be `))
    assert.ok(!invalid.includes('not this'))
  }
})

test('a PostgreSQL on another machine needs TLS, or a URL that says otherwise', () => {
  const accepted = (url: string) => problemsOf({ ...REAL, DATABASE_URL: url }).length === 0
  for (const host of ['db.example', '10.0.0.5', 'db', '192.168.1.2:5432', '[fd00::1]']) {
    const url = `postgres://shop:secret@${host}/shop`
    assert.equal(accepted(url), false, url)
    for (const mode of ['prefer', 'allow', 'require&sslmode=disable', ''])
      assert.equal(accepted(`${url}?sslmode=${mode}`), false, mode)
    for (const mode of ['verify-full', 'verify-ca&sslrootcert=/ca.pem', 'require', 'disable'])
      assert.equal(accepted(`${url}?sslmode=${mode}`), true, mode)
  }
  for (const local of ['localhost', '127.0.0.1:5432', '[::1]', '%2Fvar%2Frun%2Fpostgresql', ''])
    assert.equal(accepted(`postgres://${local}/shop`), true, local)
  assert.equal(accepted('postgres:///shop?host=/var/run/postgresql'), true)
  assert.equal(accepted('postgres://localhost/shop?host=db.example'), false)
  assert.ok(
    !problemsOf({ ...REAL, DATABASE_URL: 'postgres://shop:secret@db.example/shop' })
      .join()
      .includes('secret'),
  )
})

test('an option of DATABASE_URL that cannot mean what it means to libpq is refused by name, also on this machine', () => {
  for (const host of ['localhost', 'db.example'])
    for (const [options, expected] of [
      ['sslmode=prefer', /without sslmode=prefer/],
      ['sslmode=allow', /without sslmode=allow/],
      ['sslmode=no-verify', /one of verify-full, verify-ca, require, disable/],
      ['sslmode=verify_full', /one of verify-full/],
      ['sslmode=', /one of verify-full/],
      ['sslmode=require&sslmode=disable', /one sslmode/],
      ['sslmode=verify-ca', /sslrootcert=<file>/],
      ['sslmode=verify-ca&sslrootcert=', /sslrootcert=<file>/],
      ['sslmode=verify-full&sslrootcert=system', /without sslrootcert=system/],
      ['ssl=true', /sslmode instead of ssl/],
      ['sslmode=verify-full&host=one,two', /one host/],
    ] as const)
      assert.match(
        problemsOf({ ...REAL, DATABASE_URL: `postgres://a:secret@${host}/shop?${options}` }).join(),
        expected,
      )
  const several = problemsOf({ ...REAL, DATABASE_URL: 'postgres://a:secret@one,two/shop?sslmode=verify-full' })
  assert.match(several.join(), /^DATABASE_URL is invalid: it should be a URL with one host/)
})

test('a mail server needs TLS unless it is on this machine or its URL says otherwise', () => {
  const required = (url: string) => loadConfig({ ...REAL, SMTP_URL: url }).mail?.requireTls
  for (const url of [
    'smtp://mail.example',
    'smtp://10.0.0.5:25',
    'smtp://mailpit:1025',
    'smtp://mail.localhost',
    'smtps://localhost',
  ])
    assert.equal(required(url), true, url)
  for (const url of [
    'smtp://localhost:1025',
    'smtp://127.0.0.1',
    'smtp://[::1]:25',
    'smtp://mailpit:1025?requireTLS=false',
    'smtp://mail.example?ignoreTLS=true',
  ])
    assert.equal(required(url), false, url)
})

test('registration is closed by default on the main network and open elsewhere', () => {
  assert.equal(loadConfig(REAL).registration, 'closed')
  assert.equal(loadConfig({ ...REAL, REGISTRATION: 'open' }).registration, 'open')
  assert.equal(loadConfig({ ...REAL, NETWORK: 'test' }).registration, 'open')
})
