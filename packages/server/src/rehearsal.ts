import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Registry } from 'prom-client'
import type { Config } from './config/settings.ts'
import { type Infrastructure, openContainer } from './container.ts'
import { DEFAULT_PLANS } from './domain/plan.ts'
import { createHttpServer } from './http/server.ts'
import type { Clock } from './ports/clock.ts'
import type { Log } from './ports/log.ts'
import type { Store } from './ports/store.ts'
import type { UnusedAddressKeeper } from './ports/unused-address.ts'

const CONNECTIONS = 64
const MAX_REQUESTS = 512
/** No request is sent later than this after the first one. */
const MAX_MS = 600

/** Connections to the database, and reads on each. */
const READERS = 4
const READS = 32

/** dk ‖ ivk of no one: any bytes below the orders of the fields are a key. */
const INCOMING = new Uint8Array(64).fill(1)

const NO_LOG: Log = { debug() {}, info() {}, warn() {}, error() {} }
const KEEPS_NOTHING: UnusedAddressKeeper = { keep: async () => {}, take: async () => [] }

/**
 * Creates a few hundred invoices on a database of its own, which is then removed, so that the runtime has compiled the
 * code of the first requests before they arrive: cold, 64 of them at the same time wait for up to a tenth of a second.
 * The threads of the note scanner and a few connections to the real database are used and stay open. A failed rehearsal
 * is logged and changes nothing else.
 */
export async function rehearse(infrastructure: Infrastructure): Promise<void> {
  const { store, log } = infrastructure
  try {
    const requests = await createInvoices(infrastructure)
    await readAtOnce(store)
    log.debug({ requests }, 'rehearsed the creation of invoices')
  } catch (error) {
    log.warn({ err: error }, 'the rehearsal has failed: the first requests may be slow')
  }
}

/** @returns the number of requests */
async function createInvoices({ config, noteScanner, clock }: Infrastructure): Promise<number> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-rehearsal-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const { network } = config
  const settings: Config = {
    ...config,
    dataDir: folder,
    databaseUrl: `sqlite:${join(folder, 'rehearsal.db')}`,
    billingViewingKey: null,
    plans: DEFAULT_PLANS,
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    rateLimit: 0,
  }
  const adapters = {
    log: NO_LOG,
    registry: new Registry(),
    mailer: null,
    unusedAddresses: KEEPS_NOTHING,
    noteScanner: { ...noteScanner, parseViewingKey: () => ({ network, incoming: INCOMING }) },
  }
  const { infrastructure, services } = await openContainer(settings, adapters, stack)
  const { log, random, registry, store } = infrastructure
  const account = await services.accounts.findOrCreate('rehearsal@localhost')
  const unlimited = await services.accounts.setPlan(account.email, DEFAULT_PLANS.at(-1)!.name, null)
  const { account: withKey } = await services.viewingKeys.set(unlimited, '')
  const { key } = await services.apiKeys.create(withKey, 'rehearsal')
  const server = stack.adopt(
    await createHttpServer({ settings, ...services, store, clock, random, log, registry }),
    it => it.close(),
  )
  return await sendRequests(`${await server.listen()}/v1/invoices`, key, clock)
}

/** Opens connections and reads over them, each of its own because they are used at the same time. */
async function readAtOnce(store: Store): Promise<void> {
  const read = async () => {
    for (let reads = 0; reads < READS; reads++) await store.read(tx => tx.viewingKeys.byId(0))
  }
  await Promise.all(Array.from({ length: READERS }, read))
}

/** @returns the number of requests */
async function sendRequests(url: string, apiKey: string, clock: Clock): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const endsAt = clock.nowMs() + MAX_MS
  let sent = 0
  const send = async () => {
    while (sent < MAX_REQUESTS && clock.nowMs() < endsAt) {
      sent++
      const sending = request(url, { method: 'POST', agent, headers })
      sending.end('{"amount_zat":1}')
      const [response] = await once(sending, 'response')
      await once(response.resume(), 'end')
      if (response.statusCode !== 200) throw new Error(`the response was ${response.statusCode}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, send))
  } finally {
    agent.destroy()
  }
  return sent
}
