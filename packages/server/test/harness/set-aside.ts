import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import type { Account } from '../../src/domain/account/account.ts'
import type { Invoice } from '../../src/domain/sale/invoice.ts'
import { ChainSyncHarness } from './chain-sync.ts'
import type { DatabaseEngine } from './databases.ts'
import { testViewingKey } from './viewing-key.ts'

/** The amount of an invoice and of a payment, unless a test says another. */
export const AMOUNT = 1_000_000n

/** Chain sync on an empty database, for tests of rows that cannot be read or written and so are set aside. */
export async function openChainSync(engine: DatabaseEngine, t: TestContext, servers = 1) {
  const { url } = await engine.createDatabase(t)
  const harness = await ChainSyncHarness.start({ servers, container: { databaseUrl: url } })
  t.after(() => harness.close())
  const { clock, sandbox } = harness
  return {
    harness,
    clock,
    sandbox,
    url,
    /** @returns a new account with the viewing key of this seed */
    async merchant(seed: number): Promise<Account> {
      const { accounts, viewingKeys } = harness.services
      return (await viewingKeys.set(await accounts.findOrCreate(`m${seed}@example.com`), testViewingKey(seed))).account
    },
    sell: (account: Account, amountZat = AMOUNT) =>
      harness.services.invoices.create(account, { amountZat, expiresInSecs: 900, idempotencyKey: undefined }),
    /** @returns the id of the transaction */
    pay: ({ address }: Invoice, amount = AMOUNT): string =>
      harness.wallet.pay({ uri: formatPaymentUri({ address, amount }) }).id,
    kinds: async () => (await harness.services.setAsides.countByKind()).map(({ kind, rows }) => [kind, rows]),
    statuses: (invoices: readonly Invoice[]) => Promise.all(invoices.map(invoice => harness.status(invoice))),
    /** Evaluates the invoices that are due. */
    async retryInvoices(): Promise<void> {
      while (await harness.services.retryInvoices());
    },
    async readMissed(): Promise<void> {
      for (let turn = 0; turn < 20; turn++)
        if ((await harness.chainSync.readMissedBlocks(harness.signal)) !== 'again') return
      assert.fail('the missed blocks are read without end')
    },
  }
}
