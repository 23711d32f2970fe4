import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Invoice } from '../../../../src/domain/sale/invoice.ts'
import { minableUntil, type PaymentLocation } from '../../../../src/domain/sale/payment.ts'
import type { Store } from '../../../../src/ports/store.ts'
import { type DatabaseEngine, openEmptyStore } from '../../../harness/databases.ts'
import { NOW, openShop, payment } from '../../../harness/fixtures.ts'
import { paymentsOf, summarize } from '../../../harness/payments.ts'

const MEMPOOL: PaymentLocation = { at: 'mempool' }
const CONFIRMATIONS = [0, 1, 3]
/** The payments of each transaction, to invoices in turn. */
const OUTPUTS = 4
const txidOf = (number: number) => `${number}`.padStart(64, '0')

type Step =
  | { readonly do: 'mempool'; readonly txid: number; readonly height: number; readonly expiry: number | null }
  | { readonly do: 'mined'; readonly txid: number; readonly height: number; readonly awaitsWitness: boolean }
  | { readonly do: 'witness'; readonly limit: number }
  | { readonly do: 'drop'; readonly txid: number }
  | { readonly do: 'rewind'; readonly height: number }

const txid = fc.nat(3)
const height = fc.integer({ min: 1, max: 9 })
const expiry = fc.constantFrom(null, 0, 5, 40)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('mempool' as const), txid, height, expiry }),
  fc.record({ do: fc.constant('mined' as const), txid, height, awaitsWitness: fc.boolean() }),
  fc.record({ do: fc.constant('witness' as const), limit: fc.integer({ min: 1, max: 5 }) }),
  fc.record({ do: fc.constant('drop' as const), txid }),
  fc.record({ do: fc.constant('rewind' as const), height }),
)

async function take(store: Store, invoices: readonly Invoice[], step: Step): Promise<void> {
  await store.write(async tx => {
    if (step.do === 'drop') await tx.payments.markDropped([txidOf(step.txid)])
    else if (step.do === 'rewind') await tx.payments.unmineAbove(step.height)
    else if (step.do === 'witness')
      await tx.payments.markWitnessed((await tx.payments.awaitingWitness(0, 99, step.limit)).map(({ seq }) => seq))
    else {
      const location: PaymentLocation = step.do === 'mined' ? { at: 'mined', height: step.height } : MEMPOOL
      await tx.payments.upsert(
        Array.from({ length: OUTPUTS }, (_, outputIndex) =>
          payment(invoices[(step.txid + outputIndex) % invoices.length]!, {
            txid: txidOf(step.txid),
            outputIndex,
            valueZat: BigInt(10 ** outputIndex),
            location,
            expiryHeight: step.do === 'mempool' ? step.expiry : null,
            awaitsWitness: step.do === 'mined' && step.awaitsWitness,
            lastSeenHeight: step.height,
          }),
        ),
      )
    }
  })
}

export function paymentTotalsSuite(engine: DatabaseEngine): void {
  test('the sums of payments are exact after any sequence of observations, rewinds and drops', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 0, max: 12 }),
        async (steps, tip) => {
          const invoices = await Promise.all(CONFIRMATIONS.map(confirmations => shop.sell({ confirmations })))
          for (const one of steps) await take(store, invoices, one)
          await store.write(async tx => {
            const asked = invoices.map(({ id, confirmations }) => ({
              id,
              confirmedThrough: tip - Math.max(1, confirmations) + 1,
            }))
            const sums = await tx.payments.summaries(asked)
            for (const { id, confirmations } of invoices) {
              const { firstUnmined, ...expected } = summarize(await paymentsOf(tx, [id]), confirmations, tip)
              const found = sums.get(id)!
              assert.equal(minableUntil(found.dropped, tip), minableUntil(expected.dropped, tip))
              assert.deepEqual({ ...found, dropped: [] }, { ...expected, dropped: [] })
              assert.deepEqual(await tx.payments.firstUnmined([id], 99), firstUnmined)
            }
            // The next sequence uses the same transactions for other invoices.
            await tx.payments.unmineAbove(0)
            await tx.payments.markDropped([0, 1, 2, 3].map(txidOf))
            await tx.payments.pruneDropped({ seenBefore: NOW + 1, watchedBefore: NOW + 90_000 }, 99)
          })
        },
      ),
      { numRuns: engine.name === 'SQLite' ? 150 : 40 },
    )
  })

  test('an invoice without payments has sums of 0', async t => {
    const store = await openEmptyStore(engine, t)
    const { id } = await (await openShop(store)).sell()
    const sums = await store.read(tx => tx.payments.summaries([{ id, confirmedThrough: 5 }]))
    assert.deepEqual(sums.get(id), {
      unminedZat: 0n,
      minedZat: 0n,
      confirmedZat: 0n,
      unconfirmedHeight: null,
      txid: null,
      dropped: [],
    })
    assert.deepEqual(await store.read(tx => tx.payments.summaries([])), new Map())
  })

  const skip = engine.name !== 'SQLite' && 'JavaScript is the limit'
  test('the sums of very many payments are exact, and a page of them is bounded', { skip }, async t => {
    const store = await openEmptyStore(engine, t)
    const invoice = await (await openShop(store)).sell()
    // More than a function call can take as arguments.
    const count = 130_000
    for (let start = 0; start < count; start += 10_000) {
      const some = Array.from({ length: 10_000 }, (_, index) =>
        payment(invoice, {
          txid: txidOf(1_000_000 + start + index),
          valueZat: 1n,
          location: { at: 'mined', height: 1 },
        }),
      )
      await store.write(tx => tx.payments.upsert(some))
    }
    const sums = await store.read(tx => tx.payments.summaries([{ id: invoice.id, confirmedThrough: 1 }]))
    assert.equal(sums.get(invoice.id)!.confirmedZat, BigInt(count))
    assert.equal((await store.read(tx => tx.payments.newest(invoice.id, 100))).length, 100)
    assert.deepEqual(await store.read(tx => tx.payments.heightsOf(invoice.id, 9)), [1])
  })
}
