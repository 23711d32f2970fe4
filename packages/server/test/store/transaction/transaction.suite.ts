import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Fault } from '../../../src/domain/error.ts'
import type { Rows } from '../../../src/ports.ts'
import type { Engine } from '../databases.ts'
import { freshStore } from '../databases.ts'
import { header, makeAccount, moved, openShop, payment } from '../fixtures.ts'

export function transactionSuite(engine: Engine): void {
  for (const crowd of [undefined, 1]) {
    const options = crowd === undefined ? {} : { crowd }
    const inCrowd = crowd === undefined ? '' : ' (in a crowd)'

    test(`a use case that fails takes back everything it did${inCrowd}`, async t => {
      const store = await freshStore(engine, t)
      const shop = await openShop(store)
      const invoice = await shop.sell()
      const failing = store.write(async rows => {
        await rows.usage.take(shop.account.id, '2026-11', null)
        await rows.payments.record([payment(invoice)])
        await rows.invoices.record([{ ...invoice, status: 'detected' }])
        await rows.events.append([moved(invoice)])
        throw new Fault('conflict', 'no', 'no')
      }, options)
      await assert.rejects(failing, { code: 'no' })
      await store.read(async rows => {
        assert.equal(await rows.usage.used(shop.account.id, '2026-11'), 0)
        assert.deepEqual(await rows.payments.ofInvoices([invoice.id]), [])
        assert.deepEqual(await rows.invoices.byIds([invoice.id]), [invoice])
        assert.equal(await rows.events.lastSeq(), 0)
      })
    })

    test(`of many use cases at once, each that fails fails alone${inCrowd}`, async t => {
      const store = await freshStore(engine, t)
      const shop = await openShop(store)
      const taken = await shop.sell()
      const drafts = Array.from({ length: 40 }, (_, index) =>
        shop.draft(index % 4 === 0 ? { diversifierIndex: taken.diversifierIndex } : {}),
      )
      const results = await Promise.allSettled(
        drafts.map(draft =>
          store.write(async rows => {
            await rows.usage.take(shop.account.id, '2026-11', null)
            return rows.invoices.insert(draft)
          }, options),
        ),
      )
      assert.deepEqual(
        results.map(result => result.status),
        drafts.map((_, index) => (index % 4 === 0 ? 'rejected' : 'fulfilled')),
      )
      await store.read(async rows => {
        assert.equal(await rows.usage.used(shop.account.id, '2026-11'), 30)
        assert.equal((await rows.invoices.list(shop.account.id, { limit: 99 })).length, 31)
      })
    })

    test(`a statement that failed fails its use case, even one that makes light of it${inCrowd}`, async t => {
      const store = await freshStore(engine, t)
      const shop = await openShop(store)
      const invoice = await shop.sell()
      const careless = store.write(async rows => {
        await rows.invoices.setSwapUnderWay(invoice.id, true)
        await rows.invoices.insert({ ...shop.draft(), diversifierIndex: invoice.diversifierIndex }).catch(() => {})
      }, options)
      await assert.rejects(careless, /unique/i)
      assert.deepEqual(await store.read(rows => rows.invoices.byIds([invoice.id])), [invoice])
    })

    test(`wakes go out after the commit, once for each topic, and none for what failed${inCrowd}`, async t => {
      const store = await freshStore(engine, t)
      const shop = await openShop(store)
      const invoice = await shop.sell()
      const woken: string[] = []
      for (const topic of ['events', 'swaps'] as const) store.listen(topic, () => woken.push(topic))
      const deaf = store.listen('deliveries', () => woken.push('deliveries'))
      deaf()
      const committed = new Promise<boolean>(resolve => {
        store.listen('events', () => resolve(store.read(async rows => (await rows.events.lastSeq()) === 1)))
      })
      const failing = store.write(async rows => {
        rows.wake('swaps')
        throw new Error('no')
      }, options)
      await assert.rejects(failing, /^Error: no$/)
      await store.write(async rows => {
        await rows.events.append([moved(invoice)])
        rows.wake('events')
        rows.wake('events')
        rows.wake('deliveries')
        await nextTurn()
        assert.deepEqual(woken, [])
      }, options)
      assert.equal(await committed, true)
      assert.deepEqual(woken, ['events'])
    })

    test(`a use case that does not end is ended, and its rows are of no more use${inCrowd}`, async t => {
      const store = await freshStore(engine, t, { limits: { workMs: 1_000 } })
      const account = await makeAccount(store)
      let kept: Rows | undefined
      const endless = store.write(async rows => {
        kept = rows
        await rows.accounts.setConfirmations(account.id, 9)
        return new Promise<never>(() => {})
      }, options)
      const other = store.write(rows => rows.usage.take(account.id, '2026-11', null), options)
      await assert.rejects(endless, { kind: 'unavailable', code: 'timed_out' })
      assert.equal((await other).taken, true)
      await assert.rejects(async () => kept?.accounts.setConfirmations(account.id, 9), /over/)
      assert.deepEqual(await store.read(rows => rows.accounts.list()), [account])
    })
  }

  test('a listener that throws is reported, and neither the writer nor the others notice', async t => {
    const faults: unknown[] = []
    const store = await freshStore(engine, t, { onFault: error => faults.push(error) })
    const broken = new Error('a broken listener')
    store.listen('events', () => {
      throw broken
    })
    let woken = false
    store.listen('events', () => {
      woken = true
    })
    await store.write(async rows => rows.wake('events'))
    assert.deepEqual(faults, [broken])
    assert.ok(woken)
  })

  test('a read changes nothing', async t => {
    const store = await freshStore(engine, t)
    const account = await makeAccount(store)
    await assert.rejects(
      store.read(rows => rows.accounts.setConfirmations(account.id, 9)),
      /read.?only/i,
    )
    await assert.rejects(
      store.read(async rows => rows.wake('events')),
      /use write/,
    )
    assert.deepEqual(await store.read(rows => rows.accounts.list()), [account])
  })

  test('a glance is one statement', async t => {
    const store = await freshStore(engine, t)
    const account = await makeAccount(store)
    assert.deepEqual(await store.glance(rows => rows.accounts.byId(account.id)), account)
    const two = store.glance(async rows => [await rows.accounts.list(), await rows.accounts.list()])
    await assert.rejects(two, /one statement/)
    await assert.rejects(
      store.glance(async rows => rows.wake('events')),
      /use write/,
    )
  })

  test('after a failure of each kind the store goes on', async t => {
    const store = await freshStore(engine, t, { limits: { connections: 2 } })
    const account = await makeAccount(store)
    for (let round = 0; round < 5; round++) {
      await assert.rejects(store.write(rows => rows.chain.append([header(5), header(5)])))
      await assert.rejects(store.read(async () => Promise.reject(new Error('no'))))
      await assert.rejects(store.glance(async () => Promise.reject(new Error('no'))))
    }
    assert.deepEqual(await store.write(rows => rows.accounts.byId(account.id)), account)
    assert.deepEqual(await store.read(rows => rows.accounts.byId(account.id)), account)
    assert.deepEqual(await store.glance(rows => rows.accounts.byId(account.id)), account)
  })

  test('more use cases than may wait are turned away at once, and told when to come again', async t => {
    const store = await freshStore(engine, t, { limits: { waiting: 3 } })
    const account = await makeAccount(store)
    const take = () => store.write(rows => rows.usage.take(account.id, '2026-11', null), { crowd: account.id })
    const results = await Promise.allSettled(Array.from({ length: 5 }, take))
    const refused = results.filter(result => result.status === 'rejected').map(result => result.reason)
    assert.deepEqual(
      refused.map(({ kind, code, retryAfterSecs }) => ({ kind, code, retryAfterSecs })),
      Array.from({ length: 2 }, () => ({ kind: 'unavailable', code: 'overloaded', retryAfterSecs: 1 })),
    )
    assert.equal(await store.read(rows => rows.usage.used(account.id, '2026-11')), 3)
    assert.equal((await take()).used, 4)
  })

  test('a closed store turns everybody away, after what it had taken is done', async t => {
    const store = await freshStore(engine, t)
    const account = await makeAccount(store)
    const taken = [1, 2, 3].map(() => store.write(rows => rows.usage.take(account.id, '2026-11', null), { crowd: 1 }))
    const closed = store.close()
    const late = [
      store.write(rows => rows.accounts.list()),
      store.write(rows => rows.accounts.list(), { crowd: 1 }),
      store.read(rows => rows.accounts.list()),
    ]
    for (const one of late) await assert.rejects(one, { kind: 'unavailable' })
    assert.deepEqual((await Promise.all(taken)).map(result => result.used).sort(), [1, 2, 3])
    await closed
    await store.close()
  })
}
