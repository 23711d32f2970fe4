import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError, type Env, loadConfig, sandboxKeyFile } from '../../src/config/settings.ts'
import { isForSale } from '../../src/domain/account/plan.ts'

const dir = mkdtempSync(join(tmpdir(), 'zatgate-config-'))
after(() => rmSync(dir, { recursive: true }))

const KEY = Buffer.alloc(32, 7).toString('base64')
const REAL: Env = {
  NETWORK: 'main',
  LIGHTWALLETD_URL: 'https://one.example:443, https://two.example:443/',
  SMTP_URL: 'smtp://mail.example:587',
  MAIL_FROM: 'Shop <shop@example.org>',
  ENCRYPTION_KEY: KEY,
}

function problemsOf(env: Env): readonly string[] {
  try {
    loadConfig({ DATA_DIR: dir, ...env })
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('without settings the service is a sandbox with the documented defaults', () => {
  const config = loadConfig({})
  assert.equal(config.sandbox, true)
  assert.equal(config.port, 3000)
  assert.equal(config.host, '127.0.0.1')
  assert.match(config.databaseUrl, /^sqlite:\/.*\/data\/zatgate\.db$/)
  assert.equal(config.network, 'regtest')
  assert.equal(config.confirmations, 3)
  assert.equal(config.lateWatchDays, 7)
  assert.equal(config.maxWatchedKeys, 10_000)
  assert.equal(config.auditRetentionDays, 400)
  assert.equal(config.eventRetentionDays, 90)
  assert.deepEqual(config.roles, ['api', 'watcher', 'delivery'])
  assert.deepEqual(
    config.plans.map(plan => [plan.name, plan.monthlyInvoiceLimit]),
    [
      ['Free', 50],
      ['Pro', 1000],
      ['Business', null],
    ],
  )
  assert.ok(Object.isFrozen(config))
})

test('a real network requires servers, mail and the encryption key; every missing setting is reported', () => {
  assert.deepEqual(problemsOf(REAL), [])
  const problems = problemsOf({ NETWORK: 'main' })
  assert.equal(problems.length, 4)
  for (const name of ['LIGHTWALLETD_URL', 'SMTP_URL', 'MAIL_FROM', 'ENCRYPTION_KEY'])
    assert.ok(
      problems.some(problem => problem.startsWith(`${name} is not set: it should be `)),
      name,
    )
  assert.match(
    problemsOf({ LIGHTWALLETD_URL: 'https://one.example' }).join(),
    /NETWORK is not set: .*main, test, regtest/,
  )
})

test('several servers are accepted, and trailing slashes are removed', () => {
  assert.deepEqual(loadConfig(REAL).lightwalletdUrls, ['https://one.example:443', 'https://two.example:443'])
})

test('an empty value counts as unset', () => {
  assert.equal(loadConfig({ PORT: '', NETWORK: ' ', LIGHTWALLETD_URL: '' }).port, 3000)
})

test('every invalid value is reported with its setting, and secrets are not repeated', () => {
  const wrong: Record<string, string> = {
    PORT: '65536',
    PUBLIC_URL: 'shop.example',
    DATABASE_URL: 'mysql://x',
    NETWORK: 'mainnet',
    LIGHTWALLETD_URL: 'one.example:443',
    SWAP_API_URL: 'ftp://x.example',
    SWAP_API_KEY: 'a b',
    SWAP_SIGNING_KEY: 'ed25519:0',
    SMTP_URL: 'http://mail.example',
    MAIL_FROM: 'no address',
    ENCRYPTION_KEY: Buffer.alloc(31).toString('base64'),
    BILLING_VIEWING_KEY: 'uview2abc',
    PLANS_FILE: join(dir, 'absent.json'),
    RATES_SOURCES: 'kraken,binance',
    RATES_MIN_SOURCES: '5',
    RATES_MAX_AGE_SECS: '0',
    WITHDRAWAL_CURRENCIES: 'USD,usd',
    WITHDRAWAL_SPREAD_BPS: '5001',
    WITHDRAWAL_EXPIRES_SECS: '59',
    REGISTRATION: 'maybe',
    TRUST_PROXY: 'everyone',
    WEBHOOK_ALLOW_PRIVATE: '2',
    CONFIRMATIONS: '101',
    LATE_WATCH_DAYS: '-1',
    AUDIT_RETENTION_DAYS: '29',
    ROLES: 'api,miner',
    RATE_LIMIT: '1e3',
    MAX_WEBSOCKETS: '1.5',
    MAX_WEBSOCKETS_PER_CLIENT: 'many',
    METRICS_TOKEN: 'short',
    LOG_LEVEL: 'loud',
    SANDBOX_PORT: 'x',
    AUTO_MINE_SECS: 'x',
    REGTEST_NU63_HEIGHT: 'x',
    REGTEST_NU7_HEIGHT: '-1',
    SANDBOX_NU63_HEIGHT: 'x',
  }
  const problems = problemsOf(wrong)
  assert.equal(problems.length, Object.keys(wrong).length, problems.join('\n'))
  for (const name of Object.keys(wrong))
    assert.match(problems.join('\n'), new RegExp(`^${name} is invalid: it should be `, 'm'))
  assert.ok(!problems.join().includes(wrong.ENCRYPTION_KEY ?? '?'))
})

test('the key of the swap provider may be short, or as long as a signed token', () => {
  const swap = { ...REAL, SWAP_API_URL: 'https://swap.example' }
  for (const key of ['x', 'y'.repeat(4_096)]) assert.equal(loadConfig({ ...swap, SWAP_API_KEY: key }).swap?.apiKey, key)
  assert.equal(problemsOf({ ...swap, SWAP_API_KEY: 'z'.repeat(4_097) }).length, 1)
})

test('a billing viewing key of either revision and any network is accepted; the start checks whether it can be used', () => {
  const data = 'qpzry9x8'.repeat(20)
  for (const prefix of ['uview', 'uivktest', 'uvf', 'uvftest', 'uvi', 'uviregtest'])
    assert.deepEqual(problemsOf({ ...REAL, BILLING_VIEWING_KEY: `${prefix}1${data}` }), [], prefix)
  for (const prefix of ['urview', 'zu', 'u', 'uvx']) {
    const problems = problemsOf({ ...REAL, BILLING_VIEWING_KEY: `${prefix}1${data}` })
    assert.match(problems.join(), /^BILLING_VIEWING_KEY is invalid: .*uview1…, uivk1…, uvf1… or uvi1…/, prefix)
    assert.ok(!problems.join().includes(data))
  }
})

const REGTEST: Env = { ...REAL, NETWORK: 'regtest' }

test('on a regtest NU6.3 activates at 0 and NU7 never, unless the settings differ', () => {
  const regtestOf = (env: Env) => loadConfig({ DATA_DIR: dir, ...env }).regtest
  for (const env of [{}, REGTEST]) {
    assert.deepEqual(regtestOf(env), { nu63Height: 0, nu7Height: null })
    const set = { ...env, REGTEST_NU63_HEIGHT: '24', REGTEST_NU7_HEIGHT: '44' }
    assert.deepEqual(regtestOf(set), { nu63Height: 24, nu7Height: 44 })
    assert.deepEqual(loadConfig({ DATA_DIR: dir, ...set }).warnings, [])
  }
  assert.deepEqual(regtestOf({ REGTEST_NU7_HEIGHT: '0' }), { nu63Height: 0, nu7Height: 0 })
  assert.deepEqual(regtestOf({ REGTEST_NU63_HEIGHT: '9', REGTEST_NU7_HEIGHT: '9' }), { nu63Height: 9, nu7Height: 9 })
})

test('SANDBOX_NU63_HEIGHT, the old name of REGTEST_NU63_HEIGHT, works with a warning', () => {
  const config = loadConfig({ DATA_DIR: dir, SANDBOX_NU63_HEIGHT: '24' })
  assert.deepEqual(config.regtest, { nu63Height: 24, nu7Height: null })
  assert.deepEqual(config.warnings, [
    'SANDBOX_NU63_HEIGHT is the old name of REGTEST_NU63_HEIGHT: rename it; the old name still works',
  ])
  const both = { SANDBOX_NU63_HEIGHT: '24', REGTEST_NU63_HEIGHT: '24' }
  assert.equal(loadConfig({ DATA_DIR: dir, ...both }).regtest.nu63Height, 24)
  assert.deepEqual(problemsOf({ ...both, REGTEST_NU63_HEIGHT: '25' }), [
    'REGTEST_NU63_HEIGHT is 25, but its old name SANDBOX_NU63_HEIGHT is 24: set only REGTEST_NU63_HEIGHT',
  ])
})

test('a height of NU7 below NU6.3 on a regtest is refused', () => {
  assert.deepEqual(problemsOf({ REGTEST_NU63_HEIGHT: '24', REGTEST_NU7_HEIGHT: '23' }), [
    'REGTEST_NU7_HEIGHT is 23, but NU6.3 starts at height 24: NU7 cannot start before it',
  ])
})

test('regtest heights are refused on a public network; the old name causes only a warning', () => {
  for (const network of ['main', 'test']) {
    const env = { ...REAL, NETWORK: network }
    for (const name of ['REGTEST_NU63_HEIGHT', 'REGTEST_NU7_HEIGHT'])
      assert.deepEqual(problemsOf({ ...env, [name]: '0' }), [
        `${name} is set, but NETWORK is ${network}: unset it; the heights of public networks are built in`,
      ])
    assert.deepEqual(loadConfig({ DATA_DIR: dir, ...env, SANDBOX_NU63_HEIGHT: '24' }).warnings, [
      `SANDBOX_NU63_HEIGHT is set, but NETWORK is ${network}: it has no effect; unset it`,
    ])
  }
})

test('numbers are limited on both sides', () => {
  for (const confirmations of ['0', '100']) assert.deepEqual(problemsOf({ CONFIRMATIONS: confirmations }), [])
  for (const port of ['0', '65535']) assert.deepEqual(problemsOf({ PORT: port }), [])
})

test('the sources of rates have base URLs, can be left out, and are enough for those that must agree', () => {
  const { sources, ...terms } = loadConfig(REAL).rates
  assert.deepEqual(terms, { minSources: 2, maxAgeSecs: 60 })
  assert.deepEqual(sources, {
    kraken: 'https://api.kraken.com',
    coinbase: 'https://api.coinbase.com',
    gemini: 'https://api.gemini.com',
    coingecko: 'https://api.coingecko.com',
  })
  const own = { RATES_SOURCES: 'gemini, kraken=http://proxy.example:8080/kraken/' }
  assert.deepEqual(loadConfig({ ...REAL, ...own }).rates.sources, {
    gemini: 'https://api.gemini.com',
    kraken: 'http://proxy.example:8080/kraken',
  })
  for (const [value, expected] of [
    ['gemini', /RATES_SOURCES has 1 of the 2 sources that must agree/],
    ['gemini,gemini', /each once/],
    ['binance', /names of kraken, coinbase, gemini, coingecko/],
    ['gemini,kraken=ftp://x', /a URL like/],
    ['gemini,kraken=https://x.example?key=1', /without a query/],
  ] as const)
    assert.match(problemsOf({ RATES_SOURCES: value }).join(), expected)
  assert.deepEqual(problemsOf({ RATES_SOURCES: 'gemini', RATES_MIN_SOURCES: '1' }), [])
})

test('the withdrawal settings have defaults and can be changed', () => {
  const defaults = loadConfig(REAL)
  assert.deepEqual(defaults.withdrawals, { currencies: ['USD', 'EUR'], spreadBps: 0, expiresInSecs: 900 })
  const own = { WITHDRAWAL_CURRENCIES: 'JPY, CHF', WITHDRAWAL_SPREAD_BPS: '150', WITHDRAWAL_EXPIRES_SECS: '60' }
  const set = { currencies: ['JPY', 'CHF'], spreadBps: 150, expiresInSecs: 60 }
  assert.deepEqual(loadConfig({ ...REAL, ...own }).withdrawals, set)
  for (const wrong of ['USD,USD', 'XXZ', ','])
    assert.equal(problemsOf({ ...REAL, WITHDRAWAL_CURRENCIES: wrong }).length, 1, wrong)
})

test('the encryption key may be a list: the new key, then the old', () => {
  const other = Buffer.alloc(32, 8).toString('base64')
  assert.equal(loadConfig({ ...REAL, ENCRYPTION_KEY: `${other},${KEY}` }).encryptionKeys.length, 2)
  assert.equal(problemsOf({ ...REAL, ENCRYPTION_KEY: Array(5).fill(KEY).join() }).length, 1)
})

test('the sandbox reads its stored encryption key', () => {
  assert.equal(loadConfig({ DATA_DIR: dir }).encryptionKeys.length, 0)
  writeFileSync(sandboxKeyFile(dir), `${KEY}\n`)
  assert.deepEqual(Buffer.from(loadConfig({ DATA_DIR: dir }).encryptionKeys[0] ?? []), Buffer.alloc(32, 7))
  writeFileSync(sandboxKeyFile(dir), 'damaged')
  assert.equal(problemsOf({}).length, 1)
  rmSync(sandboxKeyFile(dir))
})

test('proxies are trusted by number or address, never all addresses', () => {
  const trusted = (TRUST_PROXY: string) => loadConfig({ TRUST_PROXY }).trustProxy
  assert.equal(trusted('2'), 2)
  assert.equal(trusted('true'), 1)
  assert.equal(trusted('false'), false)
  assert.deepEqual(trusted('10.0.0.0/8, ::1,loopback'), ['10.0.0.0/8', '::1', 'loopback'])
  for (const wrong of ['10.0.0.0/33', '::/129', '10.0.0', '10', '*'])
    assert.equal(problemsOf({ TRUST_PROXY: wrong }).length, 1)
})

test('a chain server in a public network needs https, unless a setting allows http', () => {
  const problems = (url: string, env = {}) => problemsOf({ ...REAL, LIGHTWALLETD_URL: url, ...env })
  for (const host of [
    'zec.rocks:443',
    '8.8.8.8:9067',
    '172.32.0.1',
    '192.169.0.1',
    '100.64.0.1',
    '[2001:db8::1]:9067',
    '[::ffff:8.8.8.8]',
    'local.example.org',
    '10.0.0.1.example.org',
  ]) {
    assert.match(
      problems(`http://${host}`).join(),
      /^LIGHTWALLETD_URL has http:\/\/[^ ]+: .* use https, or set LIGHTWALLETD_ALLOW_HTTP/,
      host,
    )
    assert.deepEqual(problems(`https://${host}`), [])
    assert.deepEqual(problems(`http://${host}`, { LIGHTWALLETD_ALLOW_HTTP: 'true' }), [])
  }
  assert.equal(problems('https://zec.rocks,http://zec.rocks').length, 1)
  for (const host of [
    '127.0.0.1:9067',
    '127.8.0.1',
    '10.1.2.3',
    '172.31.255.1',
    '192.168.1.1',
    '169.254.1.1',
    '[::1]:9067',
    '[fd00::1]',
    '[fe80::1]',
    '[::ffff:127.0.0.1]',
    'localhost:9067',
    'zebra:9067',
    'zebra.local',
    'node.internal',
    'node.internal.',
  ])
    assert.deepEqual(problems(`http://${host}`), [], host)
})

test('a plans file has the format of GET /v1/plans, and may limit watched keys', () => {
  const file = join(dir, 'plans.json')
  const free = { name: 'Free', monthly_invoice_limit: 5, price_zat: 0, period_days: 30 }
  const write = (value: unknown) => writeFileSync(file, JSON.stringify(value))
  write([free, { name: 'Shop', monthly_invoice_limit: null, price_zat: 1000, period_days: 365 }])
  assert.deepEqual(loadConfig({ PLANS_FILE: file }).plans[1], {
    name: 'Shop',
    monthlyInvoiceLimit: null,
    priceZat: 1000n,
    periodDays: 365,
  })
  write([{ ...free, watched_key_limit: 2 }])
  assert.equal(loadConfig({ PLANS_FILE: file }).plans[0]?.watchedKeyLimit, 2)
  const wrong = [
    {},
    [],
    [{ ...free, name: 'Paid' }],
    [free, free],
    [{ ...free, price_zat: 1 }],
    [{ ...free, period_days: 0 }],
    [{ ...free, watched_key_limit: 0 }],
    [{ ...free, watched_key_limit: null }],
  ]
  for (const value of [...wrong, [{ ...free, extra: 1 }], [{ ...free, monthly_invoice_limit: 1.5 }], [null]]) {
    write(value)
    assert.equal(problemsOf({ PLANS_FILE: file }).length, 1, JSON.stringify(value))
  }
  writeFileSync(file, '{')
  assert.match(problemsOf({ PLANS_FILE: file })[0] ?? '', /^PLANS_FILE is invalid: it should be a JSON file$/)
})

test('without a viewing key for billing and without a plans file no plan has a limit', () => {
  const limits = (env: Env) => loadConfig(env).plans.map(({ name, monthlyInvoiceLimit }) => [name, monthlyInvoiceLimit])
  const unlimited = [
    ['Free', null],
    ['Pro', null],
    ['Business', null],
  ]
  const defaults = [
    ['Free', 50],
    ['Pro', 1_000],
    ['Business', null],
  ]
  const file = join(dir, 'limits.json')
  writeFileSync(file, JSON.stringify([{ name: 'Free', monthly_invoice_limit: 7, price_zat: 0, period_days: 30 }]))
  const billing = { BILLING_VIEWING_KEY: `uview1${'qpzry9x8'.repeat(20)}` }
  assert.deepEqual(limits(REAL), unlimited)
  assert.deepEqual(loadConfig(REAL).plans.filter(isForSale), [])
  assert.deepEqual(limits({ ...REAL, BILLING_VIEWING_KEY: '', PLANS_FILE: ' ' }), unlimited)
  assert.deepEqual(limits({ ...REAL, ...billing }), defaults)
  assert.deepEqual(limits({ ...REAL, PLANS_FILE: file }), [['Free', 7]])
  assert.deepEqual(limits({ ...REAL, ...billing, PLANS_FILE: file }), [['Free', 7]])
  assert.deepEqual(limits({}), defaults, 'the sandbox sells plans')
})

test('a plans file with a limit that no purchase lifts is a warning', () => {
  const file = join(dir, 'warned.json')
  const free = { name: 'Free', monthly_invoice_limit: 7, price_zat: 0, period_days: 30 }
  const warnings = (plans: unknown[], env: Env = {}) => {
    writeFileSync(file, JSON.stringify(plans))
    return loadConfig({ ...REAL, PLANS_FILE: file, ...env }).warnings
  }
  const [warning, ...others] = warnings([free, { ...free, name: 'Pro', monthly_invoice_limit: null, price_zat: 1 }])
  assert.equal(others.length, 0)
  assert.match(warning ?? '', /^PLANS_FILE limits new accounts to 7 invoices a month, .*zatgate account plan/)
  const billing = { BILLING_VIEWING_KEY: `uview1${'qpzry9x8'.repeat(20)}` }
  assert.equal(warnings([free], billing).length, 1, 'no larger plan is for sale')
  assert.deepEqual(warnings([free, { ...free, name: 'Pro', monthly_invoice_limit: 8, price_zat: 1 }], billing), [])
  assert.deepEqual(warnings([{ ...free, monthly_invoice_limit: null }]), [])
  assert.deepEqual(loadConfig(REAL).warnings, [])
})
