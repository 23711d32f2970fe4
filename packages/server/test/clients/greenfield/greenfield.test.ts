import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { leftOut } from '../../../../zcash/test/left-out.ts'
import { openShop } from '../../greenfield/shop.ts'
import { call } from '../../harness/http-call.ts'
import { askedPermissions } from '../../harness/plugin-consents.ts'
import { startProgram } from '../../harness/programs.ts'
import { until } from '../../harness/until.ts'

const PERMISSIONS = askedPermissions('woocommerce')

const here = (file: string) => join(import.meta.dirname, file)
/** For a compiler on a busy machine. */
const LIMIT_MS = 300_000

const VENV = process.env.ZATGATE_TEST_PYTHON_VENV || '/nonexistent'
const python = join(VENV, 'bin/python')
const isInstalled = (path: string, how: string) =>
  leftOut('greenfield-clients') || (!existsSync(path) && process.env.CI !== 'true' && how)

interface Client {
  readonly name: string
  readonly command: readonly string[]
  /** The reason to skip it, or false. */
  readonly skip: string | false
  /** Whether it can make webhooks. */
  readonly hasWebhooks: boolean
}

const NO_PYTHON = 'set ZATGATE_TEST_PYTHON_VENV for the clients in Python'
const NO_NODE = 'the client of npm is not installed: npm ci --ignore-scripts in packages/server/test/clients/greenfield'
const NO_RUST = 'set ZATGATE_TEST_GREENFIELD_RUST to the built program of packages/server/test/clients/greenfield/rust'
const rust = process.env.ZATGATE_TEST_GREENFIELD_RUST || '/nonexistent'

const CLIENTS: readonly Client[] = [
  {
    name: 'btcpay-greenfield-node-client of npm',
    command: [process.execPath, here('shop.mjs')],
    skip: isInstalled(here('node_modules/btcpay-greenfield-node-client'), NO_NODE),
    hasWebhooks: true,
  },
  {
    name: 'pygreenfield of PyPI',
    command: [python, here('pygreenfield_shop.py')],
    skip: isInstalled(python, NO_PYTHON),
    hasWebhooks: true,
  },
  {
    name: 'btcpay-python-sdk of PyPI',
    command: [python, here('sdk_shop.py')],
    skip: isInstalled(python, NO_PYTHON),
    hasWebhooks: false,
  },
  {
    name: 'btcpay-mcp of PyPI',
    command: [python, here('mcp_shop.py')],
    skip: isInstalled(python, NO_PYTHON),
    hasWebhooks: true,
  },
  {
    name: 'btcpay-client of crates.io',
    command: [rust],
    skip: isInstalled(rust, NO_RUST),
    hasWebhooks: true,
  },
]

for (const { name, command, skip, hasWebhooks } of CLIENTS)
  test(`${name} sells, is paid, gets its webhooks and refunds`, { skip }, async t => {
    const shop = await openShop(t, { client: name, permissions: PERMISSIONS })
    const program = startProgram(t, command, {
      env: {
        GREENFIELD_URL: shop.at.url,
        GREENFIELD_KEY: shop.key,
        GREENFIELD_STORE: shop.store,
        GREENFIELD_HOOK: shop.webhookUrl,
        PYTHONDONTWRITEBYTECODE: '1',
      },
    })
    const line = (pattern: RegExp) =>
      until(
        String(pattern),
        () => {
          const found = pattern.exec(program.output())
          if (!found && program.exitCode() !== null) assert.fail(program.output())
          return found
        },
        LIMIT_MS,
      )

    if (hasWebhooks) shop.secret = (await line(/^webhook (\S.*)$/m))[1] ?? ''
    const [, invoiceId = '', checkoutLink] = await line(/^invoice (\S+) (\S+)$/m)
    assert.equal(checkoutLink, `${shop.at.url}/i/${invoiceId}`)
    await line(/^status New$/m)
    await shop.pay(invoiceId)
    await line(/^status Processing$/m)
    if (hasWebhooks) await shop.hook('InvoiceProcessing', invoiceId)
    shop.confirm()
    await line(/^status Settled$/m)
    const [, paid] = await line(/^paid (\S+)$/m)
    if (paid !== 'unknown') assert.match(paid ?? '', /^0\.\d+$/)
    const [, refundLink = ''] = await line(/^refund (\S+)$/m)
    if (refundLink !== 'unreadable')
      assert.equal((await call(shop.at, `GET ${new URL(refundLink).pathname}`)).status, 200)
    const token = shop.at.sessionToken
    const { refunds } = (await call(shop.at, `GET /v1/account/invoices/${invoiceId}/refunds`, { token })).body
    assert.deepEqual(
      refunds.map(({ status }: { status: string }) => status),
      ['awaiting_address'],
    )
    assert.equal(await until('its end', program.exitCode, LIMIT_MS), 0, program.output())
    if (!hasWebhooks) return
    await shop.hook('InvoiceSettled', invoiceId)
    await shop.hook('InvoiceRefund', invoiceId)
  })
