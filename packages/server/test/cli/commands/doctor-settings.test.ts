import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { checkSettings } from '../../../src/cli/commands/doctor-settings.ts'
import { type Env, loadConfig } from '../../../src/config/settings.ts'

const dir = mkdtempSync(join(tmpdir(), 'zatgate-doctor-'))
after(() => rmSync(dir, { recursive: true }))

const SAFE: Env = {
  DATA_DIR: dir,
  NETWORK: 'main',
  LIGHTWALLETD_URL: 'https://one.example,https://two.example',
  SMTP_URL: 'smtp://mail.example:587',
  MAIL_FROM: 'shop@example.org',
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  PUBLIC_URL: 'https://pay.example',
  TRUST_PROXY: 'loopback',
}
const warnings = (env: Env, userId = 1000) => checkSettings(loadConfig({ ...SAFE, ...env }), userId)

test('safe settings cause no warning', () => {
  assert.deepEqual(warnings({}), [])
  assert.deepEqual(warnings({ DATABASE_URL: 'postgres://db.example/shop?sslmode=verify-full' }), [])
  assert.deepEqual(warnings({ PUBLIC_URL: '', TRUST_PROXY: '', ROLES: 'watcher' }), [])
  for (const host of ['localhost:3000', 'pay.localhost', '127.0.0.1'])
    assert.deepEqual(warnings({ PUBLIC_URL: `http://${host}` }), [], host)
})

const RISKS: readonly (readonly [says: RegExp, env: Env])[] = [
  [/^DATABASE_URL has sslmode=disable/, { DATABASE_URL: 'postgres://a:secret@db.example/shop?sslmode=disable' }],
  [/^DATABASE_URL has sslmode=require/, { DATABASE_URL: 'postgres://a:secret@db.example/shop?sslmode=require' }],
  [/^LIGHTWALLETD_URL has one server/, { LIGHTWALLETD_URL: 'https://one.example' }],
  [/^SMTP_URL does not require TLS/, { SMTP_URL: 'smtp://a:secret@mail.example?requireTLS=false' }],
  [/^REGISTRATION is open/, { REGISTRATION: 'open' }],
  [/^PUBLIC_URL is not set/, { PUBLIC_URL: '' }],
  [/^PUBLIC_URL is not https/, { PUBLIC_URL: 'http://pay.example' }],
  [/^TRUST_PROXY is not set/, { TRUST_PROXY: '' }],
  [/^TRUST_PROXY is a number/, { TRUST_PROXY: '1', HOST: '0.0.0.0' }],
]
for (const [says, env] of RISKS)
  test(`doctor warns once: ${says.source}`, () => {
    const found = warnings(env)
    assert.equal(found.length, 1)
    assert.match(found[0]?.says ?? '', says)
    assert.equal(found[0]?.state, 'warning')
    assert.ok(!JSON.stringify(found).includes('secret'))
  })

test('doctor warns of root and of a data folder that other users can enter, also in the sandbox', () => {
  chmodSync(dir, 0o755)
  const found = checkSettings(loadConfig({ DATA_DIR: dir }), 0)
  chmodSync(dir, 0o700)
  assert.deepEqual(
    found.map(({ says }) => says),
    ['zatgate runs as root', `other users of this machine can enter DATA_DIR ${dir}`],
  )
})
