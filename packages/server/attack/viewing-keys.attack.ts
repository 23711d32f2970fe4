import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSandbox } from '@zatgate/sandbox/sandbox'
import { deriveFullViewingKey, deriveOrchardSpendingKey, encodeFullViewingKey } from '@zatgate/zcash/spending-key'
import { count, printLine } from '../bench/report.ts'
import { type Env, loadConfig } from '../src/config/settings.ts'
import { startService } from '../src/main.ts'
import { call } from '../test/harness/http-call.ts'
import { joined } from '../test/harness/service.ts'
import { fromClient, printFigure, type Target, withTarget } from './target.ts'

const SECONDS = 19
const PAYMENTS = 10
const POLL_MS = 20

interface Attacker {
  readonly apiKey: string
  readonly sessionToken: string
}

await using stack = new AsyncDisposableStack()
const folder = mkdtempSync(join(tmpdir(), 'zatgate-attack-'))
stack.defer(() => rmSync(folder, { recursive: true }))
const sandbox = stack.adopt(await startSandbox({ faults: { mempoolCacheMs: 0 } }), it => it.close())
const env: Env = {
  ...joined(sandbox),
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  DATA_DIR: folder,
  DATABASE_URL: `sqlite:${join(folder, 'zatgate.db')}`,
  PORT: '0',
  LOG_LEVEL: 'silent',
}
const attacker = await openAttacker()

/** An account on the Free plan changes its viewing key before every invoice, as fast as it can. */
await withTarget(
  async target => {
    const before = await detectionMs(target)
    const { planted, refused } = await plantKeys(target)
    const after = await detectionMs(target)
    printLine(`keys of one account in ${SECONDS} s: ${count(planted)} used for an invoice, ${count(refused)} refused`)
    const what = `a payment to another account is detected, median of ${PAYMENTS}`
    printFigure(`${what}, before the attack`, before, { below: 2_000 }, 'ms')
    printFigure(`${what}, after it`, after, { below: 2_000 }, 'ms')
  },
  { ...env, ROLES: 'api,watcher' },
)

async function openAttacker(): Promise<Attacker> {
  const service = await startService(loadConfig({ ...env, ROLES: 'api' }))
  const account = await service.accounts.findOrCreate('attacker@example.org')
  const { key: apiKey } = await service.apiKeys.create(account, 'attack')
  const { token: sessionToken } = await service.sessions.create(account, 'attack')
  await service.close()
  return { apiKey, sessionToken }
}

async function plantKeys(target: Target): Promise<{ planted: number; refused: number }> {
  const headers = fromClient('192.0.2.1')
  const endsAt = performance.now() + SECONDS * 1_000
  let planted = 0
  let sent = 0
  for (; performance.now() < endsAt; sent++) {
    const json = { viewing_key: viewingKey(sent) }
    const change = await call(target, 'PUT /v1/account/viewing-key', { token: attacker.sessionToken, headers, json })
    const invoice = { token: attacker.apiKey, headers, json: { amount_zat: 1_000 } }
    const { status } = await call(target, 'POST /v1/invoices', invoice)
    if (change.status === 200 && status === 200) planted++
  }
  return { planted, refused: sent - planted }
}

function viewingKey(number: number): string {
  const seed = Buffer.alloc(32, 7)
  seed.writeUInt32LE(number)
  return encodeFullViewingKey(deriveFullViewingKey(deriveOrchardSpendingKey(seed, 1, 0)), 'regtest')
}

/** The median time from a payment until its invoice is no longer pending. */
async function detectionMs(target: Target): Promise<number> {
  const times: number[] = []
  for (let payment = 0; payment < PAYMENTS; payment++) {
    const { body } = await call(target, 'POST /v1/invoices', { token: target.apiKey, json: { amount_zat: 100_000 } })
    const paidAt = performance.now()
    sandbox.wallet.pay({ uri: body.zip321_uri })
    while ((await call(target, `GET /v1/invoices/${body.id}`)).body.status === 'pending') await sleep(POLL_MS)
    times.push(performance.now() - paidAt)
  }
  return times.toSorted((a, b) => a - b)[PAYMENTS / 2] as number
}
