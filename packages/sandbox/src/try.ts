import { createHmac, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@zatgate/server/adapters/system/logger'
import type { TryOut } from '@zatgate/server/cli/sandbox'
import { loadConfig } from '@zatgate/server/config/settings'
import { startService } from '@zatgate/server/main'
import { systemClock } from './clock.ts'
import { startSandbox } from './sandbox.ts'
import { sandboxSettings } from './start.ts'

const AMOUNT_ZAT = 150_000
const CONFIRMATIONS = 3
/** Far longer than any step takes. */
const STEP_MS = 60_000

/**
 * Sells one invoice before the reader's eyes: creates it, pays it, waits until it is paid and verifies the webhook.
 * Everything runs on a simulated network in a temporary folder, which is removed.
 * @throws Error when a step takes longer than a minute
 */
export const tryOut: TryOut = async print => {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-try-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const sandbox = stack.adopt(await startSandbox(), it => it.close())
  const config = loadConfig({
    ...sandboxSettings(sandbox),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: folder,
    PORT: '0',
    LOG_LEVEL: 'silent',
  })
  const service = stack.adopt(await startService(config, { logger: createLogger('silent') }), it => it.close())
  const { accounts, apiKeys, viewingKeys, webhooks } = service
  const { account } = await viewingKeys.set(await accounts.findOrCreate('shop@example.com'), sandbox.demoViewingKey)
  const { key } = await apiKeys.create(account, 'try')
  const { secret } = await webhooks.set(account, sandbox.webhookReceiver.url)
  print(
    '',
    `zatgate runs at ${service.url}, on a simulated Zcash network. A shop has a viewing key, an API key and a webhook.`,
  )

  const response = await fetch(`${service.url}/v1/invoices`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount_zat: AMOUNT_ZAT }),
    signal: AbortSignal.timeout(STEP_MS),
  })
  const invoice = (await response.json()) as { id: string; address: string; zip321_uri: string }
  print('create', `POST /v1/invoices {"amount_zat": ${AMOUNT_ZAT}}: invoice ${invoice.id}, at a unique address:`)
  print('', invoice.address)

  const statuses = followStatuses(service.url, invoice.id)
  const { id: txid } = sandbox.wallet.pay({ uri: invoice.zip321_uri })
  const paidAtMs = systemClock.nowMs()
  const since = () => `${((systemClock.nowMs() - paidAtMs) / 1000).toFixed(1)} s after the payment`
  print('pay', `the buyer's wallet sends a shielded payment, ${txid.slice(0, 16)}…`)
  await statuses.until('detected')
  print('detected', `the viewing key sees it in the mempool, ${since()}`)
  sandbox.chain.mine(CONFIRMATIONS)
  await statuses.until('paid')
  print('paid', `it is confirmed in ${CONFIRMATIONS} blocks, ${since()}`)

  const deliveries = await sandbox.webhookReceiver.waitFor(1, AbortSignal.timeout(STEP_MS))
  const { body, headers } = deliveries[0] as (typeof deliveries)[number]
  const signature = createHmac('sha256', secret ?? '')
    .update(body)
    .digest('hex')
  if (headers['x-service-signature'] !== signature) throw new Error('the signature of the webhook is wrong')
  print('webhook', `the shop's server receives this, and its signature is verified, ${since()}:`)
  print('', body.toString())
  print('', 'Next: npm start runs a sandbox that stays, with a dashboard and the API reference.')
}

/** Follows an invoice over its WebSocket. */
function followStatuses(url: string, id: string): { until(status: string): Promise<void> } {
  const seen = new Set<string>()
  const changed = new EventTarget()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/invoices/${id}/ws`)
  socket.addEventListener('message', ({ data }) => {
    seen.add((JSON.parse(String(data)) as { status: string }).status)
    changed.dispatchEvent(new Event('change'))
  })
  return {
    async until(status) {
      const signal = AbortSignal.timeout(STEP_MS)
      while (!seen.has(status))
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error(`the invoice was not ${status} within a minute`)))
          changed.addEventListener('change', () => resolve(), { once: true })
        })
    },
  }
}
