import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '../../src/adapters/system/logger.ts'
import { type Env, loadConfig } from '../../src/config/settings.ts'
import { openContainer } from '../../src/container.ts'
import type { Store } from '../../src/ports/store.ts'
import { testViewingKey } from './api.ts'

const EMAIL = 'shop@example.org'
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')

/** The services of one process, started as `start` and `rescan` start them, with one merchant account. */
export interface RestoreShop {
  readonly store: Store
  /** The log lines so far. */
  readonly logged: readonly string[]
  /** Creates invoices one after the other. @returns their addresses */
  sell(count: number): Promise<string[]>
  close(): Promise<void>
}

/** Settings of a service on this database without external services. */
export function restoreEnv(databaseUrl: string, dataDir = tmpdir()): Env {
  return {
    NETWORK: 'regtest',
    LIGHTWALLETD_URL: 'http://127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
    MAIL_FROM: 'a@example.org',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY,
    LOG_LEVEL: 'info',
  }
}

/** Opens the database and creates the account if necessary. */
export async function openRestoreShop(databaseUrl: string): Promise<RestoreShop> {
  const dataDir = mkdtempSync(join(tmpdir(), 'zatgate-restore-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const logged: string[] = []
  const logger = createLogger('info', { write: line => logged.push(line) })
  const config = loadConfig(restoreEnv(databaseUrl, dataDir))
  const { infrastructure, services } = await openContainer(config, { log: logger }, stack)
  const { accounts, databaseIdentity, invoices, viewingKeys } = services
  await databaseIdentity.advanceCountersAtStart()
  await accounts.findOrCreate(EMAIL)
  const unlimited = await accounts.setPlan(EMAIL, 'Business', null)
  const { account } = await viewingKeys.set(unlimited, testViewingKey())
  const resources = stack.move()
  return {
    store: infrastructure.store,
    logged,
    async sell(count) {
      const addresses: string[] = []
      for (let i = 0; i < count; i++) {
        const request = { amountZat: 5_000n, expiresInSecs: undefined, idempotencyKey: undefined }
        addresses.push((await invoices.create(account, request)).address)
      }
      return addresses
    },
    close: () => resources.disposeAsync(),
  }
}

/** The number of later addresses that are also among the earlier ones. */
export function countRepeated(earlier: readonly string[], later: readonly string[]): number {
  const earlierSet = new Set(earlier)
  return later.filter(address => earlierSet.has(address)).length
}
