import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Sandbox } from '@zatgate/sandbox/sandbox'
import { ZatgateClient } from '@zatgate/sdk'
import { freePort } from '../../../sandbox/test/recorded/guarded-process.ts'
import { settingsOf } from '../deploy/checked-settings.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { missingProgram } from '../harness/programs.ts'
import { startProcess } from '../harness/service-process.ts'
import { openShell } from '../harness/shell.ts'
import { until as pollUntil } from '../harness/until.ts'
import { signIn, visit } from '../web/visit.ts'
import { doctorLines, Guide } from './guide.ts'

/** docs/real-network.md, whose tests are in two files. */
export const GUIDE = new Guide('docs/real-network.md')
const block = (tag: string) => GUIDE.block(tag)

export const ZEBRA = {
  install: block('sh install'),
  regtest: { start: block('sh zebra-regtest'), file: 'zebra-regtest.toml', config: block('toml zebra-regtest.toml') },
  main: { start: block('sh zebra'), file: 'zebra.toml', config: block('toml zebra.toml') },
}
export const REGTEST = {
  settings: block('sh regtest'),
  start: block('sh start-regtest'),
  create: block('sh create'),
  pay: block('sh pay'),
}
export const LIGHTWALLETD = {
  config: block('conf zcash.conf'),
  start: block('sh lightwalletd'),
  connect: block('sh switch'),
}
export const MAIL_SERVER = block('sh mail')
export const MAINNET = block('sh mainnet')
GUIDE.assertAllUsed()

export const EMAIL = 'shop@example.org'
/** The amount of the invoice of the page. */
const AMOUNT_ZAT = 100_000_000
/** The reward of a block on a regtest. */
export const COINBASE_ZAT = 625_000_000
const START = 'npm start\n'
/** The lines of doctor that the page announces before the first start. */
export const WARNINGS = [
  'WARNING  settings: PUBLIC_URL is not set: links in pages and mails lead to the listen address',
  '         → set PUBLIC_URL to the https:// URL of the proxy',
  'WARNING  database: there is no database at ./data-regtest/zatgate.db',
  '         → the first start creates it; if the service has run before, check DATA_DIR and DATABASE_URL',
]
export const NOT_SET = [
  'skipped  swap provider: SWAP_API_URL is not set: swaps are off',
  'skipped  rates: BILLING_VIEWING_KEY is not set: plans and withdrawals are off',
]

/** Generous for a busy machine: programs run in separate processes. */
export const until = <T>(what: string, poll: () => T | Promise<T>) => pollUntil(what, poll, 60_000)
/** The reason to skip the tests that run commands of the page, or false. */
export const skipCommands = missingProgram('bash') || missingProgram('curl') || missingProgram('openssl', 'version')

/** The lines of doctor, with the folder of the data as the page names it. */
export function doctor(output: string): string[] {
  return doctorLines(output).map(line => line.replace(/ at \S+(?=data-regtest)/, ' at ./'))
}

/** The commands before the start of the service, which the test starts itself. */
export function beforeStart(commands: string): string {
  assert.ok(commands.endsWith(START))
  return commands.slice(0, -START.length)
}

/** A regtest for the commands of the page. */
export interface Regtest {
  /** The value for `LIGHTWALLETD_URL`. */
  readonly serverUrl: string
  /** The port of the node that mines. */
  readonly rpcPort: number
  /** The height of the newest block. At 0, doctor has no block to read. */
  readonly height: number
  /** Receives mails, and has a viewing key. */
  readonly sandbox: Sandbox
}

/** Follows the page: checks the settings, starts the service, creates an invoice and pays it by mining to its address. */
export async function followRegtest(t: TestContext, { serverUrl, rpcPort, height, sandbox }: Regtest): Promise<void> {
  const folder = temporaryFolder(stackOf(t))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const shell = openShell(t, {
    folder,
    env: { PORT: String(port), LOG_LEVEL: 'error' },
    replace: {
      'http://127.0.0.1:9067': serverUrl,
      'smtp://127.0.0.1:1025': sandbox.smtpUrl,
      'http://127.0.0.1:3000': url,
      'http://127.0.0.1:18232': `http://127.0.0.1:${rpcPort}`,
    },
  })

  const host = (address: string) => new URL(address).host
  assert.deepEqual(doctor(await shell.run(REGTEST.settings)), [
    'ok       settings: network regtest',
    ...WARNINGS,
    `ok       chain source ${host(serverUrl)}: ${height === 0 ? 'no block above the genesis block yet' : `at height ${height}`}`,
    `ok       mempool ${host(serverUrl)}: 0 transactions`,
    ...(height === 0 ? [] : ['skipped  clock: regtest block times are arbitrary']),
    'ok       mail: 127.0.0.1 responds',
    ...NOT_SET,
  ])

  assert.equal(beforeStart(REGTEST.start), '')
  const settings = await settingsOf(shell)
  const dataDir = join(folder, settings.DATA_DIR ?? '')
  const service = await startProcess({ ...settings, DATA_DIR: dataDir })
  t.after(() => service.kill())
  assert.ok(existsSync(join(folder, 'data-regtest/zatgate.db')))
  const cookie = await signIn(service, EMAIL, () => until('the code', () => sandbox.mailbox.mails(EMAIL)[0]?.code))
  const submit = (path: string, form: Record<string, string>) => visit(service, `POST ${path}`, { cookie, form })
  assert.match(sandbox.demoViewingKey, /^uviewregtest1/)
  await submit('/viewing-key', { viewing_key: sandbox.demoViewingKey })
  const [apiKey = ''] = /\bzg_\w+/.exec((await submit('/api-keys', { name: 'shop' })).text) ?? []

  const invoice = await shell.json(REGTEST.create.replace('zg_…', apiKey))
  assert.match(invoice.address, /^uregtest1/)
  const read = () => new ZatgateClient({ baseUrl: url }).getInvoice(invoice.id)
  await shell.run(REGTEST.pay.replace('uregtest1…', invoice.address))
  await until('detected', async () => (await read()).status === 'detected')
  assert.equal((await read()).overpaid_zat, COINBASE_ZAT - AMOUNT_ZAT)
  await shell.run(REGTEST.pay.replace('uregtest1…', invoice.address).replace('[1,', '[2,'))
  await until('paid', async () => (await read()).status === 'paid')
  assert.equal((await read()).overpaid_zat, 3 * COINBASE_ZAT - AMOUNT_ZAT)
  await shell.run(REGTEST.pay.replace('uregtest1…', invoice.address))
  await until('a further coinbase', async () => (await read()).overpaid_zat === 4 * COINBASE_ZAT - AMOUNT_ZAT)
  assert.equal(await service.stop(), 0)
}
