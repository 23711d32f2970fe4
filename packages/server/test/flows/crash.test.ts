import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Sandbox, startSandbox } from '@zatgate/sandbox/sandbox'
import { ZatgateClient, ZatgateError } from '@zatgate/sdk'
import { loadConfig } from '../../src/config/settings.ts'
import { startService } from '../../src/main.ts'
import { stackOf, temporaryFolder } from '../harness/container.ts'
import { startProcess } from '../harness/service-process.ts'
import { until } from '../harness/until.ts'

/** A release must pass 30 kills. The default is lower to keep normal runs short. */
const KILLS = Number(process.env.ZATGATE_TEST_KILLS ?? 6)

interface Sale {
  readonly uri: string
  /** Total paid to it, in zat. */
  paid: bigint
}

test(`a busy service killed ${KILLS} times loses no invoice and counts every payment once`, async t => {
  const dataDir = temporaryFolder(stackOf(t))
  const sandbox = await startSandbox()
  t.after(() => sandbox.close())
  const settings = settingsFor(sandbox, dataDir)
  const apiKey = await openAccount(settings, sandbox)
  const sales = new Map<string, Sale>()
  let running = await startProcess(settings)
  let busy = true
  t.after(() => {
    busy = false
    return running.kill()
  })

  const shops = Promise.all([shop(), shop()])
  const payer = payAll()
  for (let kill = 0; kill < KILLS; kill++) {
    const created = sales.size
    await until('a new invoice', () => sales.size > created, 60_000)
    await delay(randomInt(0, 1_200))
    await running.kill()
    running = await startProcess(settings)
  }
  busy = false
  await Promise.all([shops, payer])
  for (const sale of sales.values()) if (sale.paid === 0n) pay(sale)
  sandbox.chain.mine(4)

  const client = new ZatgateClient({ baseUrl: running.url, apiKey })
  for (const [id, { paid }] of sales) {
    const invoice = await until(
      `invoice ${id.slice(0, 8)} to be paid`,
      async () => {
        const current = await client.getInvoice(id)
        return current.status === 'paid' && current
      },
      30_000,
    )
    assert.equal(BigInt(invoice.received_zat), paid, 'every payment counts exactly once')
  }
  assert.equal(await running.stop(), 0)

  /** Creates invoices continuously. An invoice that was returned must never be lost. */
  async function shop(): Promise<void> {
    while (busy) {
      try {
        const client = new ZatgateClient({ baseUrl: running.url, apiKey, timeoutMs: 2_000 })
        const invoice = await client.createInvoice({ amount_zat: 50_000, expires_in_secs: 86_400 })
        sales.set(invoice.id, { uri: invoice.zip321_uri, paid: 0n })
      } catch (error) {
        if (error instanceof ZatgateError && error.status >= 400 && error.status < 500) throw error
      }
      await delay(20)
    }
  }

  /** Pays open invoices in two parts, mines blocks and sometimes reorganises one. */
  async function payAll(): Promise<void> {
    for (let round = 0; busy; round++) {
      const open = [...sales.values()].filter(({ paid }) => paid === 0n).slice(0, 3)
      for (const sale of open) pay(sale)
      if (round % 3 === 0) sandbox.chain.mine(1)
      if (round % 10 === 9) sandbox.chain.reorg({ depth: 1 })
      await delay(100)
    }
  }

  function pay(sale: Sale): void {
    for (const amount of [20_000n, 30_001n]) {
      sandbox.wallet.pay({ uri: sale.uri, amount })
      sale.paid += amount
    }
  }
})

function settingsFor(sandbox: Sandbox, dataDir: string): Record<string, string> {
  return {
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: sandbox.lightwalletdUrl,
    SMTP_URL: sandbox.smtpUrl,
    MAIL_FROM: 'shop@example.com',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: dataDir,
    PORT: '0',
  }
}

/** Creates an account on the unlimited plan before the first kill. @returns its API key */
async function openAccount(settings: Record<string, string>, sandbox: Sandbox): Promise<string> {
  const service = await startService(loadConfig({ ...settings, ROLES: 'api', LOG_LEVEL: 'warn' }))
  try {
    await service.accounts.findOrCreate('shop@example.com')
    const account = await service.accounts.setPlan('shop@example.com', 'Business', null)
    const { account: ready } = await service.viewingKeys.set(account, sandbox.demoViewingKey)
    return (await service.apiKeys.create(ready, 'shop')).key
  } finally {
    await service.close()
  }
}
