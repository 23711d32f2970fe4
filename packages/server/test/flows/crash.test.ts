import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { type Sandbox, startSandbox } from '@zatgate/sandbox/sandbox'
import { ZatgateClient, ZatgateError } from '@zatgate/sdk'
import { loadConfig } from '../../src/config/settings.ts'
import { startService } from '../../src/main.ts'
import { startProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/** 30 is what a release is judged by; fewer keep the everyday run short. */
const KILLS = Number(process.env.ZATGATE_TEST_KILLS ?? 6)

interface Sale {
  readonly uri: string
  /** Everything that was paid to it, in zat. */
  paid: bigint
}

test(`a busy service killed ${KILLS} times loses no invoice and counts every payment once`, async t => {
  const dataDir = mkdtempSync(join(tmpdir(), 'zatgate-crash-'))
  t.after(() => rmSync(dataDir, { recursive: true, force: true }))
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
    const answered = sales.size
    await until('an invoice to be answered', () => sales.size > answered, 60_000)
    await after(randomInt(0, 1_200))
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
        const seen = await client.getInvoice(id)
        return seen.status === 'paid' && seen
      },
      30_000,
    )
    assert.equal(BigInt(invoice.received_zat), paid, 'every payment is counted, and once')
  }
  assert.equal(await running.stop(), 0)

  /** Asks for invoices without a pause; what was answered must never be lost. */
  async function shop(): Promise<void> {
    while (busy) {
      try {
        const client = new ZatgateClient({ baseUrl: running.url, apiKey, timeoutMs: 2_000 })
        const invoice = await client.createInvoice({ amount_zat: 50_000, expires_in_secs: 86_400 })
        sales.set(invoice.id, { uri: invoice.zip321_uri, paid: 0n })
      } catch (error) {
        if (error instanceof ZatgateError && error.status >= 400 && error.status < 500) throw error
      }
      await after(20)
    }
  }

  /** Pays what is open in two parts, mines, and now and then takes a block back. */
  async function payAll(): Promise<void> {
    for (let round = 0; busy; round++) {
      const open = [...sales.values()].filter(({ paid }) => paid === 0n).slice(0, 3)
      for (const sale of open) pay(sale)
      if (round % 3 === 0) sandbox.chain.mine(1)
      if (round % 10 === 9) sandbox.chain.reorg({ depth: 1 })
      await after(100)
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

/** An account on the plan without a limit, before the first kill. */
async function openAccount(settings: Record<string, string>, sandbox: Sandbox): Promise<string> {
  const service = await startService(loadConfig({ ...settings, ROLES: 'api', LOG_LEVEL: 'warn' }))
  try {
    await service.accounts.open('shop@example.com')
    const account = await service.accounts.setPlan('shop@example.com', 'Business', null)
    const { account: ready } = await service.viewingKeys.set(account, sandbox.demoViewingKey)
    return (await service.credentials.createApiKey(ready, 'shop')).key
  } finally {
    await service.close()
  }
}
