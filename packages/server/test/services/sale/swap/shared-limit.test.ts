import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AppError } from '../../../../src/domain/error.ts'
import { closeNoteScanner } from '../../../harness/chain-sync.ts'
import { onBothDatabases } from '../../../harness/databases.ts'
import { SwapHarness } from '../../../harness/swap.ts'

after(closeNoteScanner)

/** The limit of the starts of an account within ten minutes. */
const ACCOUNT_STARTS = 200

onBothDatabases(engine => {
  for (const order of ['first', 'last'] as const)
    test(`concurrent starts of an account do not exceed its limit, the oldest invoice ${order}`, async t => {
      const harness = await SwapHarness.startOn(t, engine)
      const { clock, store } = harness.chainSync
      const busy = await harness.invoice()
      await store.write(async tx => {
        for (let i = 0; i < ACCOUNT_STARTS - 2; i++) await tx.swaps.recordStart(busy.id, clock.secs, 0)
      })
      const invoices = []
      for (let i = 0; i < 8; i++) invoices.push(await harness.invoice())
      if (order === 'last') invoices.reverse()
      const started = await Promise.allSettled(invoices.map(invoice => harness.start(invoice)))
      const refused = started.flatMap(({ status, ...end }) => (status === 'rejected' ? [end] : []))
      for (const { reason } of refused as { reason: AppError }[]) assert.equal(reason.code, 'too_many_swap_requests')
      assert.equal(started.length - refused.length, 2)
      const { account } = await store.read(tx => tx.swaps.countStarts(busy.accountId, 0))
      assert.equal(account, ACCOUNT_STARTS)
    })
})
