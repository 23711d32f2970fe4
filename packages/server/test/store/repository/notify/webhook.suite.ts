import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Account } from '../../../../src/domain/account/account.ts'
import { finishAttempt, startAttempt } from '../../../../src/domain/notify/delivery-schedule.ts'
import type { FinishedAttempt, OpenDelivery, StartedAttempt } from '../../../../src/ports/repository/notify/delivery.ts'
import type { NewDelivery } from '../../../../src/ports/repository/notify/new-delivery.ts'
import type { Store, Tx } from '../../../../src/ports/store.ts'
import type { DatabaseEngine } from '../../../harness/databases.ts'
import { openEmptyStore } from '../../../harness/databases.ts'
import { makeAccount, NOW, openShop } from '../../../harness/fixtures.ts'
import { testOutbox } from '../../../harness/outbox.ts'

const NOW_MS = NOW * 1000
const URL = 'https://shop.example/webhook'

async function withWebhook(store: Store, account?: Account): Promise<Account> {
  const owner = account ?? (await makeAccount(store))
  const webhook = { accountId: owner.id, url: URL, sealedSecret: Uint8Array.of(1, 2), createdAt: NOW, updatedAt: NOW }
  assert.equal(await store.write(tx => tx.webhooks.insert(webhook)), true)
  return owner
}

/** A delivery of an event with this body. */
type Draft = Omit<NewDelivery, 'eventSeq'> & { readonly body: string }

async function insert(tx: Tx, drafts: readonly Draft[]): Promise<void> {
  const events = drafts.map(({ body, ...delivery }) => {
    const { accountId, invoiceId, eventType: type, createdAt } = delivery
    return { accountId, invoiceId, type, body, createdAt, publicId: randomUUID(), deliveries: [delivery] }
  })
  await tx.events.append(events)
}

function draft(account: Account, terms: Partial<Draft> = {}): Draft {
  return {
    publicId: randomUUID(),
    accountId: account.id,
    invoiceId: null,
    eventType: 'test',
    url: null,
    body: '{"type":"test","ü":"\\u0000"}',
    createdAt: NOW,
    dueAtMs: NOW_MS,
    ...terms,
  }
}

function attemptOf(delivery: OpenDelivery, nowMs: number): StartedAttempt {
  const progress = startAttempt(delivery.progress, nowMs)
  assert.equal(progress.state, 'sending')
  return {
    publicId: randomUUID(),
    delivery,
    progress: progress as StartedAttempt['progress'],
    url: URL,
    startedAt: Math.floor(nowMs / 1000),
  }
}

function endOf(attempt: StartedAttempt, succeeded: boolean, endedAtMs: number): FinishedAttempt {
  return {
    publicId: attempt.publicId,
    deliveryPublicId: attempt.delivery.publicId,
    accountId: attempt.delivery.accountId,
    progress: finishAttempt(attempt.progress, succeeded, endedAtMs),
    statusCode: succeeded ? 204 : null,
    error: succeeded ? null : 'connection refused',
    durationMs: 12,
    response: succeeded ? 'thanks' : null,
    requestHeaders: 'content-type: application/json',
    responseHeaders: null,
  }
}

/** Claims due deliveries as the service does. */
function claimDue(store: Store, nowMs: number, limit = 100): Promise<StartedAttempt[]> {
  return store.write(async tx => {
    const webhooks = await tx.deliveries.lockDueWebhooks(nowMs, 100, [])
    const due = await tx.deliveries.listDue(
      webhooks.map(({ accountId }) => ({ accountId, limit })),
      nowMs,
    )
    const attempts = due.map(delivery => attemptOf(delivery, nowMs))
    await tx.deliveries.startAttempts(attempts)
    await tx.deliveries.reschedule(webhooks.map(({ accountId }) => accountId))
    return attempts
  })
}

function finish(store: Store, ends: readonly FinishedAttempt[]): Promise<void> {
  return store.write(async tx => {
    const accountIds = ends.map(({ accountId }) => accountId)
    await tx.deliveries.lockWebhooks(accountIds)
    await tx.deliveries.finishAttempts(ends)
    await tx.deliveries.reschedule(accountIds)
  })
}

const nextDue = (store: Store, afterMs: number) => store.read(tx => tx.deliveries.nextDueAtMs(afterMs))

export function webhookSuite(engine: DatabaseEngine): void {
  test('an account has one webhook, whose URL and secret can change and which can be removed', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await makeAccount(store)
    const other = await withWebhook(store)
    assert.equal(await store.read(tx => tx.webhooks.byAccount(account.id)), null)
    assert.equal(await store.write(tx => tx.webhooks.setUrl(account.id, URL, NOW)), null)
    assert.equal(await store.write(tx => tx.webhooks.setSecret(account.id, Uint8Array.of(), NOW)), false)
    assert.equal(await store.write(tx => tx.webhooks.remove(account.id)), false)

    await withWebhook(store, account)
    const second = {
      accountId: account.id,
      url: 'https://x.example',
      sealedSecret: Uint8Array.of(9),
      createdAt: 1,
      updatedAt: 1,
    }
    assert.equal(await store.write(tx => tx.webhooks.insert(second)), false)
    const changed = await store.write(tx => tx.webhooks.setUrl(account.id, 'https://y.example', NOW + 1))
    assert.equal(await store.write(tx => tx.webhooks.setSecret(account.id, Uint8Array.of(7), NOW + 2)), true)
    const reseal = (read: number) =>
      store.write(tx => tx.webhooks.reseal(account.id, Uint8Array.of(read), Uint8Array.of(8)))
    assert.deepEqual([await reseal(6), await reseal(7)], [false, true])
    assert.equal(changed?.url, 'https://y.example')
    assert.deepEqual(await store.read(tx => tx.webhooks.byAccount(account.id)), {
      accountId: account.id,
      url: 'https://y.example',
      sealedSecret: Uint8Array.of(8),
      createdAt: NOW,
      updatedAt: NOW + 2,
    })
    const all = await store.read(tx => tx.webhooks.list(0, 9))
    assert.deepEqual(
      all.map(({ accountId }) => accountId),
      [account.id, other.id],
    )
    assert.equal((await store.read(tx => tx.webhooks.list(account.id, 9))).length, 1)
    assert.equal(await store.write(tx => tx.webhooks.remove(account.id)), true)
    assert.equal(await store.read(tx => tx.webhooks.byAccount(account.id)), null)
  })

  test('a failure of an attempt that a promoted standby does not know leaves the present attempt of that number', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await withWebhook(store)
    const delivery = draft(account)
    await store.write(async tx => {
      await insert(tx, [delivery])
      await tx.deliveries.reschedule([account.id])
    })
    const [attempt] = await claimDue(store, NOW_MS)
    assert.ok(attempt)
    const dueAtMs = () => nextDue(store, NOW_MS)
    const leaseEnd = await dueAtMs()
    await finish(store, [{ ...endOf(attempt, false, NOW_MS + 1_000), publicId: randomUUID() }])
    assert.equal(await dueAtMs(), leaseEnd)
    await finish(store, [endOf(attempt, false, NOW_MS + 2_000)])
    assert.equal(await dueAtMs(), NOW_MS + 12_000)
  })

  test('an event with a body becomes a delivery in the same transaction if the account has a webhook', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const invoice = await shop.sell()
    const without = await makeAccount(store)
    await withWebhook(store, shop.account)
    let notified = 0
    t.after(store.listen('deliveries', () => notified++))
    const event = {
      accountId: shop.account.id,
      invoiceId: invoice.id,
      type: 'invoice.paid',
      body: '{"ü":1}',
      createdAt: NOW,
    } as const
    const failing = store.write(async tx => {
      await testOutbox.append(tx, [event])
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    assert.deepEqual(await claimDue(store, NOW_MS), [])

    await store.write(tx =>
      testOutbox.append(tx, [
        event,
        { ...event, type: 'invoice.detected' },
        { ...event, accountId: without.id, invoiceId: null },
      ]),
    )
    const [attempt, ...more] = (await claimDue(store, NOW_MS)) as [StartedAttempt]
    assert.deepEqual(more, [])
    const { id: _, publicId, ...delivery } = attempt.delivery
    assert.match(publicId, /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
    assert.deepEqual(delivery, {
      accountId: shop.account.id,
      invoiceId: invoice.id,
      eventSeq: 1,
      eventType: 'invoice.paid',
      url: null,
      body: '{"ü":1}',
      createdAt: NOW,
      progress: { state: 'waiting', attempts: 0, dueAtMs: NOW_MS },
    })
    const [line] = await store.read(tx => tx.deliveries.listAttempts(shop.account.id, { limit: 9 }))
    assert.equal(line?.invoicePublicId, invoice.publicId)
    for (let poll = 0; poll < 200 && notified === 0; poll++) await new Promise(resolve => setTimeout(resolve, 5))
    assert.ok(notified > 0)
  })

  test('a delivery is never claimed before it is due, and its log lists every attempt', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await withWebhook(store)
    const delivery = draft(account)
    await store.write(tx => insert(tx, [delivery]))
    assert.equal(await nextDue(store, 0), NOW_MS)
    assert.deepEqual(await claimDue(store, NOW_MS - 1), [])

    const [first] = (await claimDue(store, NOW_MS)) as [StartedAttempt]
    assert.equal(first.delivery.body, delivery.body)
    assert.deepEqual(await claimDue(store, NOW_MS), [], 'it is under way')
    assert.equal(await nextDue(store, NOW_MS), NOW_MS + 15_000)
    const [open] = await store.read(tx => tx.deliveries.listAttempts(account.id, { limit: 9 }))
    assert.deepEqual([open?.statusCode, open?.error, open?.durationMs], [null, null, null])

    await finish(store, [endOf(first, false, NOW_MS + 1_234)])
    assert.equal(await nextDue(store, NOW_MS), NOW_MS + 11_234)
    assert.deepEqual(await claimDue(store, NOW_MS + 11_233), [])
    const [second] = (await claimDue(store, NOW_MS + 11_234)) as [StartedAttempt]
    assert.equal(second.progress.attempts, 2)
    assert.equal(await store.read(tx => tx.deliveries.countOpen()), 1)
    assert.equal(await store.read(tx => tx.deliveries.countOpenOf(account.id, 9)), 1)
    assert.equal(await store.read(tx => tx.deliveries.countOpenOf(account.id, 0)), 0)
    assert.equal(await store.read(tx => tx.deliveries.countOpenOf(account.id + 1, 9)), 0)
    await finish(store, [endOf(second, true, NOW_MS + 11_300)])
    assert.equal(await store.read(tx => tx.deliveries.countOpen()), 0)
    assert.equal(await nextDue(store, 0), null)
    assert.deepEqual(await claimDue(store, NOW_MS + 1e9), [])

    const log = await store.read(tx => tx.deliveries.listAttempts(account.id, { limit: 9 }))
    assert.deepEqual(
      log.map(({ publicId, ...row }) => row),
      [
        { attempt: 2, statusCode: 204, error: null, createdAt: NOW + 11 },
        { attempt: 1, statusCode: null, error: 'connection refused', createdAt: NOW },
      ].map(row => ({
        deliveryPublicId: delivery.publicId,
        invoicePublicId: null,
        endpointPublicId: null,
        eventType: 'test',
        url: URL,
        durationMs: 12,
        part: 0,
        originalId: null,
        ...row,
      })),
    )
    const detail = await store.read(tx => tx.deliveries.attemptByPublicId(account.id, second.publicId))
    const { event, receiver, ...exchange } = detail ?? assert.fail()
    assert.deepEqual([event.body, receiver], [delivery.body, null])
    assert.deepEqual(exchange, {
      ...log[0],
      requestHeaders: 'content-type: application/json',
      ...{ responseHeaders: null, response: 'thanks', deliveryState: 'delivered' },
    })
  })

  test('a late attempt result changes only its log entry, unless it is a success', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await withWebhook(store)
    await store.write(tx => insert(tx, [draft(account), draft(account)]))
    const first = await claimDue(store, NOW_MS)
    await store.write(tx =>
      tx.deliveries.markInterrupted(
        first.map(({ delivery }) => delivery.id),
        'interrupted',
      ),
    )
    const second = await claimDue(store, NOW_MS + 15_000)
    assert.equal(second.length, 2)
    const [late, success] = first as [StartedAttempt, StartedAttempt]
    await finish(store, [endOf(late, false, NOW_MS + 16_000), endOf(success, true, NOW_MS + 16_000)])
    assert.equal(await nextDue(store, NOW_MS), NOW_MS + 80_000)
    const states = await store.read(async tx => {
      const log = await tx.deliveries.listAttempts(account.id, { limit: 9 })
      const details = await Promise.all(log.map(row => tx.deliveries.attemptByPublicId(account.id, row.publicId)))
      return details.map(row => [row?.deliveryPublicId, row?.attempt, row?.deliveryState, row?.error])
    })
    const [a, b] = [late.delivery.publicId, success.delivery.publicId]
    assert.deepEqual(
      new Set(states.map(state => state.join(' '))),
      new Set([`${a} 1 sending connection refused`, `${a} 2 sending `, `${b} 1 delivered `, `${b} 2 delivered `]),
    )
  })

  test('a delivery whose late success was recorded meanwhile is not started again', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await withWebhook(store)
    await store.write(tx => insert(tx, [draft(account)]))
    const [first] = (await claimDue(store, NOW_MS)) as [StartedAttempt]
    const [late] = await store.read(tx => tx.deliveries.listDue([{ accountId: account.id, limit: 9 }], NOW_MS + 60_000))
    await finish(store, [endOf(first, true, NOW_MS + 60_000)])
    const again = attemptOf(late!, NOW_MS + 60_000)
    assert.deepEqual(await store.write(tx => tx.deliveries.startAttempts([again])), new Set())
    const log = await store.read(tx => tx.deliveries.listAttempts(account.id, { limit: 9 }))
    assert.equal(log.length, 1)
    const detail = await store.read(tx => tx.deliveries.attemptByPublicId(account.id, first.publicId))
    assert.equal(detail?.deliveryState, 'delivered')
  })

  for (const order of ['success first', 'failure first'])
    test(`a late success ends a delivery whose later attempt has failed, recorded at once, ${order}`, async t => {
      const store = await openEmptyStore(engine, t)
      const account = await withWebhook(store)
      await store.write(tx => insert(tx, [draft(account)]))
      const [first] = (await claimDue(store, NOW_MS)) as [StartedAttempt]
      const [second] = (await claimDue(store, NOW_MS + 60_000)) as [StartedAttempt]
      const ends = [endOf(first, true, NOW_MS + 61_000), endOf(second, false, NOW_MS + 61_000)]
      await finish(store, order === 'success first' ? ends : ends.toReversed())
      const detail = await store.read(tx => tx.deliveries.attemptByPublicId(account.id, second.publicId))
      assert.equal(detail?.deliveryState, 'delivered')
      assert.deepEqual(await claimDue(store, NOW_MS + 3_600_000), [])
    })

  for (const succeeded of [true, false])
    test(`the ${succeeded ? 'success' : 'failure'} of a lost delivery does not end another one with its row id`, async t => {
      const store = await openEmptyStore(engine, t)
      const account = await withWebhook(store)
      await store.write(tx => insert(tx, [draft(account)]))
      const [other] = (await claimDue(store, NOW_MS)) as [StartedAttempt]
      const lost = { ...other, publicId: randomUUID(), delivery: { ...other.delivery, publicId: randomUUID() } }
      await finish(store, [endOf(lost, succeeded, NOW_MS + 1_000)])
      const detail = await store.read(tx => tx.deliveries.attemptByPublicId(other.delivery.accountId, other.publicId))
      assert.equal(detail?.deliveryState, 'sending')
    })

  test('each attempt number is logged once', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await withWebhook(store)
    await store.write(tx => insert(tx, [draft(account)]))
    const [first] = (await claimDue(store, NOW_MS)) as [StartedAttempt]
    const again = { ...first, publicId: randomUUID() }
    await assert.rejects(
      store.write(tx => tx.deliveries.startAttempts([again])),
      /unique/i,
    )
  })

  test('due deliveries are returned longest due first, up to the limit of each account, without excluded accounts', async t => {
    const store = await openEmptyStore(engine, t)
    const [a, b, c] = [await withWebhook(store), await withWebhook(store), await withWebhook(store)]
    const many = (account: Account, count: number, dueAtMs: number) =>
      Array.from({ length: count }, (_, index) => draft(account, { dueAtMs: dueAtMs + index }))
    await store.write(tx =>
      insert(tx, [...many(a, 600, NOW_MS - 9_000), ...many(b, 3, NOW_MS - 5_000), ...many(c, 1, NOW_MS + 1)]),
    )
    const locked = await store.write(tx => tx.deliveries.lockDueWebhooks(NOW_MS, 9, []))
    assert.deepEqual(
      locked.map(({ accountId }) => accountId),
      [a.id, b.id],
    )
    const one = await store.write(tx => tx.deliveries.lockDueWebhooks(NOW_MS, 1, []))
    assert.deepEqual(
      one.map(({ accountId }) => accountId),
      [a.id],
    )
    const rest = await store.write(tx => tx.deliveries.lockDueWebhooks(NOW_MS, 9, [a.id]))
    assert.deepEqual(
      rest.map(({ accountId }) => accountId),
      [b.id],
    )
    const due = await store.write(tx =>
      tx.deliveries.listDue(
        [
          { accountId: a.id, limit: 2 },
          { accountId: b.id, limit: 9 },
          { accountId: c.id, limit: 9 },
        ],
        NOW_MS,
      ),
    )
    assert.deepEqual(
      due.map(({ accountId, progress }) => [accountId, progress.dueAtMs - NOW_MS]),
      [
        [a.id, -9_000],
        [a.id, -8_999],
        [b.id, -5_000],
        [b.id, -4_999],
        [b.id, -4_998],
      ],
    )
    const shares = Array.from({ length: 900 }, () => ({ accountId: a.id, limit: 1 }))
    assert.equal((await store.write(tx => tx.deliveries.listDue(shares, NOW_MS))).length, 900)
  })

  test('concurrent workers never claim the same delivery twice', async t => {
    const store = await openEmptyStore(engine, t)
    const accounts = await Promise.all(Array.from({ length: 6 }, () => withWebhook(store)))
    await store.write(tx =>
      insert(
        tx,
        accounts.flatMap(account => Array.from({ length: 20 }, () => draft(account))),
      ),
    )
    const claimed: StartedAttempt[] = []
    const worker = async () => {
      for (let turn = 0; turn < 40; turn++) {
        const attempts = await claimDue(store, NOW_MS, 2)
        claimed.push(...attempts)
        await finish(
          store,
          attempts.map((attempt, index) => endOf(attempt, index % 2 === 0, NOW_MS)),
        )
      }
    }
    await Promise.all([worker(), worker(), worker()])
    assert.equal(claimed.length, 120)
    assert.equal(new Set(claimed.map(({ delivery }) => delivery.id)).size, 120)
  })

  test('deliveries inserted during claims are never missed', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await withWebhook(store)
    const seen = new Set<number>()
    let inserting = true
    const insertAll = async () => {
      for (let count = 0; count < 50; count++) await store.write(tx => insert(tx, [draft(account)]))
    }
    const claimAll = async () => {
      while (inserting) {
        const attempts = await claimDue(store, NOW_MS, 3)
        for (const { delivery } of attempts) seen.add(delivery.id)
        await finish(
          store,
          attempts.map(attempt => endOf(attempt, true, NOW_MS)),
        )
      }
    }
    const claiming = [claimAll(), claimAll()]
    await Promise.all([insertAll(), insertAll()])
    inserting = false
    await Promise.all(claiming)
    // The remaining deliveries must be found by their due time alone, as after the last notification.
    for (;;) {
      const attempts = await claimDue(store, NOW_MS)
      if (attempts.length === 0) break
      for (const { delivery } of attempts) seen.add(delivery.id)
    }
    assert.equal(seen.size, 100)
  })

  test('removing a webhook cancels its open deliveries and keeps the ended ones', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await withWebhook(store)
    await store.write(tx => insert(tx, [draft(account), draft(account)]))
    const [first, second] = (await claimDue(store, NOW_MS)) as [StartedAttempt, StartedAttempt]
    await finish(store, [endOf(first, true, NOW_MS)])
    await store.write(tx => tx.webhooks.remove(account.id))
    await finish(store, [endOf(second, false, NOW_MS + 5)])
    assert.equal(await store.read(tx => tx.deliveries.countOpen()), 0)
    const found = (delivery: OpenDelivery) => store.read(tx => tx.deliveries.byPublicId(account.id, delivery.publicId))
    assert.equal((await found(first.delivery))?.state, 'delivered')
    assert.equal((await found(second.delivery))?.state, 'canceled')
    assert.equal(await store.write(tx => tx.deliveries.insert([{ ...draft(account), eventSeq: 1 }])), 0)
  })

  test('the log is read in pages and by invoice, and is not visible to other accounts', async t => {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const stranger = await withWebhook(store)
    await withWebhook(store, shop.account)
    const [a, b] = [await shop.sell(), await shop.sell()]
    for (const invoice of [a, b, a]) {
      await store.write(tx => insert(tx, [draft(shop.account, { invoiceId: invoice.id, eventType: 'invoice.paid' })]))
      await claimDue(store, NOW_MS)
    }
    const list = (account: Account, before?: string, invoicePublicId?: string) =>
      store.read(tx =>
        tx.deliveries.listAttempts(
          account.id,
          { limit: 2, ...(before && { before }) },
          { ...(invoicePublicId && { invoicePublicId }) },
        ),
      )
    const page = await list(shop.account)
    assert.deepEqual(
      page.map(row => row.invoicePublicId),
      [a.publicId, b.publicId],
    )
    const next = await list(shop.account, page[1]?.publicId)
    assert.deepEqual(
      next.map(row => row.invoicePublicId),
      [a.publicId],
    )
    assert.deepEqual(await list(shop.account, next[0]?.publicId), [])
    await assert.rejects(list(shop.account, randomUUID()), { code: 'invalid_before' })
    assert.equal((await list(shop.account, undefined, a.publicId)).length, 2)
    assert.equal((await list(shop.account, undefined, b.publicId)).length, 1)
    assert.deepEqual(await list(shop.account, undefined, randomUUID()), [])
    assert.deepEqual(await list(shop.account, undefined, 'no id'), [])

    assert.deepEqual(await list(stranger), [])
    await assert.rejects(list(stranger, next[0]?.publicId), { code: 'invalid_before' })
    assert.deepEqual(await list(stranger, undefined, a.publicId), [])
    const { publicId, deliveryPublicId } = page[0] as (typeof page)[number]
    assert.equal(await store.read(tx => tx.deliveries.attemptByPublicId(stranger.id, publicId)), null)
    assert.equal(await store.read(tx => tx.deliveries.byPublicId(stranger.id, deliveryPublicId)), null)
  })

  test('old ended deliveries are pruned with their attempts, oldest first', async t => {
    const store = await openEmptyStore(engine, t)
    const account = await withWebhook(store)
    const ages = [NOW - 3, NOW - 2, NOW - 1, NOW]
    await store.write(tx =>
      insert(
        tx,
        ages.map(createdAt => draft(account, { createdAt, dueAtMs: createdAt * 1000 })),
      ),
    )
    const attempts = await claimDue(store, NOW_MS)
    const [, , , ...open] = attempts
    await finish(
      store,
      attempts.filter(attempt => !open.includes(attempt)).map(attempt => endOf(attempt, true, NOW_MS)),
    )
    const prune = (before: number, limit: number) => store.write(tx => tx.deliveries.prune(before, limit))
    const left = () => store.read(tx => tx.deliveries.listAttempts(account.id, { limit: 9 }))
    assert.equal(await prune(NOW - 1, 1), 1)
    assert.equal(await prune(NOW - 1, 9), 1)
    assert.deepEqual(
      (await left()).map(({ deliveryPublicId }) => deliveryPublicId),
      [attempts[3], attempts[2]].map(attempt => attempt?.delivery.publicId),
    )
    assert.equal(await prune(NOW + 9, 9), 1)
    assert.equal((await left()).length, 1)
  })
}
