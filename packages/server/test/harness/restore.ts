import { createLogger } from '../../src/adapters/system/logger.ts'
import type { Env } from '../../src/config/settings.ts'
import type { Store } from '../../src/ports/store.ts'
import { openTestContainer, scopeOf, testEnv } from './container.ts'
import { testViewingKey } from './viewing-key.ts'

const EMAIL = 'shop@example.org'

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
export function restoreEnv(databaseUrl: string, dataDir: string): Env {
  return { ...testEnv, DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
}

/** Opens the database and creates the account if necessary. */
export async function openRestoreShop(databaseUrl: string): Promise<RestoreShop> {
  await using stack = new AsyncDisposableStack()
  const logged: string[] = []
  const log = createLogger('info', { destination: { write: line => void logged.push(line) } })
  const { infrastructure, services } = await openTestContainer(scopeOf(stack), { databaseUrl, log })
  const { accounts, addresses, invoices, viewingKeys } = services
  await addresses.start()
  await accounts.findOrCreate(EMAIL)
  const unlimited = await accounts.setPlan(EMAIL, 'Business', null)
  const { account } = await viewingKeys.set(unlimited, testViewingKey())
  const resources = stack.move()
  return {
    store: infrastructure.store,
    logged,
    async sell(count) {
      const sold: string[] = []
      for (let i = 0; i < count; i++) {
        const request = { amountZat: 5_000n, expiresInSecs: undefined, idempotencyKey: undefined }
        sold.push((await invoices.create(account, request)).address)
      }
      return sold
    },
    close: () => resources.disposeAsync(),
  }
}

/** The number of later addresses that are also among the earlier ones. */
export function countRepeated(earlier: readonly string[], later: readonly string[]): number {
  const earlierSet = new Set(earlier)
  return later.filter(address => earlierSet.has(address)).length
}
