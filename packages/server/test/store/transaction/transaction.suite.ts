import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError } from '../../../src/domain/error.ts'
import type { BatchTx, Store } from '../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../harness/databases.ts'
import { openEmptyStore } from '../../harness/databases.ts'
import { header, makeAccount, moved, openShop, payment } from '../../harness/fixtures.ts'
import { paymentsOf } from '../../harness/payments.ts'

export function transactionSuite(engine: DatabaseEngine): void {
  for (const batched of [false, true]) {
    const variant = batched ? ' (batched)' : ''
    const write = <T>(store: Store, work: (tx: BatchTx) => Promise<T>) =>
      batched ? store.writeBatched(1, work) : store.write(work)

    test(`a failed use case undoes all its changes${variant}`, async t => {
      const store = await openEmptyStore(engine, t)
      const shop = await openShop(store)
      const invoice = await shop.sell()
      const failing = batched
        ? store.writeBatched(shop.account.id, async tx => {
            await tx.usage.increment(shop.account.id, '2026-11', null)
            await tx.invoices.insert(shop.draft())
            throw new AppError('plan_never_ends')
          })
        : store.write(async tx => {
            await tx.usage.increment(shop.account.id, '2026-11', null)
            await tx.payments.upsert([payment(invoice)])
            await tx.invoices.updateStates([{ ...invoice, status: 'detected' }])
            await tx.invoiceChanges.append([moved(invoice)])
            throw new AppError('plan_never_ends')
          })
      await assert.rejects(failing, { code: 'plan_never_ends' })
      await store.read(async tx => {
        assert.equal(await tx.usage.used(shop.account.id, '2026-11'), 0)
        assert.deepEqual(await paymentsOf(tx, [invoice.id]), [])
        assert.deepEqual(await tx.invoices.list(shop.account.id, { limit: 9 }), [invoice])
        assert.equal((await tx.invoiceChanges.last()).seq, 0)
      })
    })

    test(`a failed use case does not affect concurrent ones${variant}`, async t => {
      const store = await openEmptyStore(engine, t)
      const shop = await openShop(store)
      const taken = await shop.sell()
      const drafts = Array.from({ length: 40 }, (_, index) =>
        shop.draft(index % 4 === 0 ? { diversifierIndex: taken.diversifierIndex } : {}),
      )
      const results = await Promise.allSettled(
        drafts.map(draft =>
          write(store, async tx => {
            await tx.usage.increment(shop.account.id, '2026-11', null)
            return tx.invoices.insert(draft)
          }),
        ),
      )
      assert.deepEqual(
        results.map(result => result.status),
        drafts.map((_, index) => (index % 4 === 0 ? 'rejected' : 'fulfilled')),
      )
      await store.read(async tx => {
        assert.equal(await tx.usage.used(shop.account.id, '2026-11'), 30)
        assert.equal((await tx.invoices.list(shop.account.id, { limit: 99 })).length, 31)
      })
    })

    test(`a failed statement fails its use case, even if the use case catches the error${variant}`, async t => {
      const store = await openEmptyStore(engine, t)
      const shop = await openShop(store)
      const invoice = await shop.sell()
      const catching = () =>
        write(store, async tx => {
          await tx.usage.increment(shop.account.id, '2026-11', null)
          await tx.invoices.insert({ ...shop.draft(), diversifierIndex: invoice.diversifierIndex }).catch(() => {})
        })
      for (const result of await Promise.allSettled([catching(), catching()]))
        assert.match(String(result.status === 'rejected' && result.reason), /unique/i)
      await store.read(async tx => {
        assert.deepEqual(await tx.invoices.byIds([invoice.id]), [invoice])
        assert.equal(await tx.usage.used(shop.account.id, '2026-11'), 0)
      })
    })

    test(`a use case that exceeds the time limit is ended, and its transaction cannot be used any more${variant}`, async t => {
      const store = await openEmptyStore(engine, t, { limits: { transactionTimeoutMs: 1_000 } })
      const account = await makeAccount(store)
      let kept: BatchTx | undefined
      const hanging = write(store, async tx => {
        kept = tx
        await tx.usage.increment(account.id, '2026-12', null)
        return new Promise<never>(() => {})
      })
      const other = write(store, tx => tx.usage.increment(account.id, '2026-11', null))
      await assert.rejects(hanging, { kind: 'unavailable', code: 'timed_out' })
      assert.equal((await other).counted, true)
      await assert.rejects(async () => kept?.usage.increment(account.id, '2026-12', null), /has ended/)
      assert.equal(await store.read(tx => tx.usage.used(account.id, '2026-12')), 0)
      assert.deepEqual(await store.read(tx => tx.accounts.list(0, 100)), [account])
    })
  }

  test('notifications are sent after the commit, once per topic, and none for a failed use case', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const notified: string[] = []
    for (const topic of ['events', 'swaps'] as const) store.listen(topic, () => notified.push(topic))
    const unlisten = store.listen('deliveries', () => notified.push('deliveries'))
    unlisten()
    const committed = new Promise<boolean>(resolve => {
      store.listen('events', () => resolve(store.read(async tx => (await tx.invoiceChanges.last()).seq === 1)))
    })
    const failing = store.write(async tx => {
      tx.notify('swaps')
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    await store.write(async tx => {
      await tx.invoiceChanges.append([moved(invoice)])
      tx.notify('events')
      tx.notify('events')
      tx.notify('deliveries')
      await nextTurn()
      assert.deepEqual(notified, [])
    })
    assert.equal(await committed, true)
    assert.deepEqual(notified, ['events'])
  })

  test('an error of a listener is reported and affects neither the writer nor other listeners', async t => {
    const errors: unknown[] = []
    const store = await openEmptyStore(engine, t, { onError: error => errors.push(error) })
    const broken = new Error('a broken listener')
    store.listen('events', () => {
      throw broken
    })
    let notified = false
    store.listen('events', () => {
      notified = true
    })
    await store.write(async tx => tx.notify('events'))
    assert.deepEqual(errors, [broken])
    assert.ok(notified)
  })

  test('a read cannot change anything', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    await assert.rejects(
      store.read(tx => tx.accounts.setTerms(account.id, { confirmations: 9, toleranceBps: 0 })),
      /read.?only/i,
    )
    await assert.rejects(
      store.read(async tx => tx.notify('events')),
      /use write/,
    )
    assert.deepEqual(await store.read(tx => tx.accounts.list(0, 100)), [account])
  })

  test('a query is limited to one statement', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    assert.deepEqual(await store.query(tx => tx.accounts.byId(account.id)), account)
    const two = store.query(async tx => [await tx.accounts.list(0, 100), await tx.accounts.list(0, 100)])
    await assert.rejects(two, /one statement/)
    await assert.rejects(
      store.query(async tx => tx.notify('events')),
      /use write/,
    )
  })

  test('the store keeps working after failures of every kind', async t => {
    const store = await openEmptyStore(engine, t, { limits: { maxConnections: 2 } })
    const account = await makeAccount(store)
    for (let round = 0; round < 5; round++) {
      await assert.rejects(store.write(tx => tx.chain.appendHeaders([header(5), header(5)])))
      await assert.rejects(store.read(async () => Promise.reject(new Error('no'))))
      await assert.rejects(store.query(async () => Promise.reject(new Error('no'))))
    }
    assert.deepEqual(await store.write(tx => tx.accounts.byId(account.id)), account)
    assert.deepEqual(await store.read(tx => tx.accounts.byId(account.id)), account)
    assert.deepEqual(await store.query(tx => tx.accounts.byId(account.id)), account)
  })

  test('use cases beyond the queue limit are rejected at once, with the time to retry after', async t => {
    const store = await openEmptyStore(engine, t, { limits: { maxWaiting: 3 } })
    const account = await makeAccount(store)
    const take = () => store.writeBatched(account.id, tx => tx.usage.increment(account.id, '2026-11', null))
    const results = await Promise.allSettled(Array.from({ length: 5 }, take))
    const refused = results.filter(result => result.status === 'rejected').map(result => result.reason)
    assert.deepEqual(
      refused.map(({ kind, code, retryAfterSecs }) => ({ kind, code, retryAfterSecs })),
      Array.from({ length: 2 }, () => ({ kind: 'unavailable', code: 'overloaded', retryAfterSecs: 1 })),
    )
    assert.equal(await store.read(tx => tx.usage.used(account.id, '2026-11')), 3)
    assert.equal((await take()).used, 4)
  })

  test('a closed store completes the accepted writes and rejects later calls', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const accepted = [1, 2, 3].map(() => store.writeBatched(1, tx => tx.usage.increment(account.id, '2026-11', null)))
    const closed = store.close()
    const late = [
      store.write(tx => tx.accounts.list(0, 100)),
      store.writeBatched(1, tx => tx.chain.tip()),
      store.read(tx => tx.accounts.list(0, 100)),
    ]
    for (const call of late) await assert.rejects(call, { kind: 'unavailable' })
    assert.deepEqual((await Promise.all(accepted)).map(result => result.used).sort(), [1, 2, 3])
    await closed
    await store.close()
  })
}
