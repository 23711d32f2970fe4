import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { printLine } from '../bench/report.ts'
import type { Service } from '../src/main.ts'
import { fromClient, printReads, type Target, withTarget } from './target.ts'

const ACCOUNTS = 20
const DELIVERIES = 30
const SECONDS = 10

/**
 * Requests test events for receivers that answer without end, and measures the reads of an honest client meanwhile. The
 * first receivers are honest: what they cost is the reference.
 */
for (const path of ['/one-response', '/interim', '/interim-headers', '/chunks', '/trickle']) {
  const receiver = new Worker(new URL('./hostile-receiver.ts', import.meta.url))
  const [port] = await once(receiver, 'message')
  const tokens: string[] = []
  await withTarget(
    async target => {
      const harm = await target.harmOf(async () => {
        await Promise.all([sleep(SECONDS * 1000), requestTests(target, tokens)])
      })
      printLine(`${ACCOUNTS} receivers that answer with ${path.slice(1)}:`)
      printReads(harm, 50)
    },
    { ROLES: 'api,delivery', WEBHOOK_ALLOW_PRIVATE: 'true' },
    async ({ service }) => void tokens.push(...(await openAccounts(service, `http://127.0.0.1:${port}${path}`))),
  )
  await receiver.terminate()
}

/** Creates accounts with a webhook, and returns their session tokens. */
async function openAccounts({ accounts, webhooks, sessions }: Service, url: string): Promise<string[]> {
  const tokens: string[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const account = await accounts.findOrCreate(`receiver${i}@example.org`)
    await webhooks.set(account, url)
    tokens.push((await sessions.create(account, 'attack')).token)
  }
  return tokens
}

async function requestTests({ url }: Target, tokens: readonly string[]): Promise<void> {
  for (let round = 0; round < DELIVERIES; round++)
    await Promise.all(
      tokens.map(async (token, i) => {
        const headers = { ...fromClient(`198.51.100.${i}`), authorization: `Bearer ${token}` }
        const signal = AbortSignal.timeout(SECONDS * 1000)
        const options = { method: 'POST', headers, signal }
        await fetch(`${url}/v1/account/webhook/test`, options).then(
          response => response.arrayBuffer(),
          () => {},
        )
      }),
    )
}
