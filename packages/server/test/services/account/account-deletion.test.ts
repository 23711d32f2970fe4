import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Account } from '../../../src/domain/account/account.ts'
import type { OpenWork } from '../../../src/domain/account/account-deletion.ts'
import type { Actor } from '../../../src/domain/account/audit.ts'
import { AppError } from '../../../src/domain/error.ts'
import { isGiven, selectFields } from '../../../src/domain/field.ts'
import { type GivenFields, INVOICE_FIELDS, type Invoice } from '../../../src/domain/sale/invoice.ts'
import type { NewRefund } from '../../../src/domain/sale/refund.ts'
import { DAY_SECS } from '../../../src/domain/time.ts'
import type { NewSwap } from '../../../src/ports/repository/sale/swap.ts'
import { openTestContainer } from '../../harness/container.ts'
import { type DatabaseEngine, onBothDatabases } from '../../harness/databases.ts'
import { ManualClock } from '../../harness/manual-clock.ts'
import { poisonRow } from '../../harness/poison.ts'
import { testViewingKey } from '../../harness/viewing-key.ts'

const ACTOR: Actor = { by: 'owner', session: 'session-c4n4ry', network: '198.51.100.0/24', client: 'c4n4ry browser' }
const EMAIL = 'c4n4ry@example.org'
const WAIT_SECS = 7 * DAY_SECS
/** An invoice is watched for its 15 minutes, the late window and a margin, up to a whole hour. */
const SETTLED_AFTER_SECS = 10 * DAY_SECS

async function open(engine: DatabaseEngine, t: TestContext) {
  const clock = new ManualClock()
  const database = await engine.createDatabase(t)
  const { services, infrastructure } = await openTestContainer(t, {
    clock,
    store: await database.open(),
    config: { billingViewingKey: testViewingKey(9) },
  })
  const { store } = infrastructure
  const { accounts, accountDeletions, invoices, viewingKeys } = services
  /** Lets time pass, which the chain confirms. */
  async function pass(secs: number): Promise<void> {
    clock.advance(secs)
    await store.write(tx => tx.chain.setSyncedThrough(clock.secs, clock.secs))
  }
  await pass(0)
  return {
    ...services,
    database,
    store,
    clock,
    pass,
    async account(email: string, seed: number): Promise<Account> {
      const { account } = await viewingKeys.set(await accounts.findOrCreate(email), testViewingKey(seed))
      return account
    },
    async reread({ id }: Account): Promise<Account | null> {
      return store.read(tx => tx.accounts.byId(id))
    },
    sell: (account: Account, order: GivenFields = {}) =>
      invoices.create(account, { amountZat: 1_000n, ...order, expiresInSecs: 900, idempotencyKey: undefined }),
    /** Expires an invoice without payments, as the expiry loop does. */
    expire: ({ id }: Invoice) =>
      store.write(async tx => {
        const [locked] = await tx.invoices.lock([id])
        assert.ok(locked)
        await tx.invoices.updateStates([{ ...locked, status: 'expired' }])
      }),
    async eraseAll(): Promise<void> {
      while (await accountDeletions.eraseDue());
    },
  }
}

function newRefund({ id: invoiceId, accountId, createdAt }: Invoice): NewRefund {
  const ids = { publicId: randomUUID(), linkId: randomUUID(), accountId, invoiceId }
  const address = { address: null, addressFromBuyer: false }
  const times = { createdAt, updatedAt: createdAt }
  return { ...ids, ...address, ...times, status: 'awaiting_address', amountZat: 1n, reason: null }
}

function newSwap(invoice: Invoice, refundTo = '0xrefund'): NewSwap {
  const asset = { assetId: 'nep141:eth.omft.near', symbol: 'ETH', blockchain: 'eth', decimals: 18 }
  const amounts = { amountIn: 2n, minAmountIn: 1n, amountInUsd: '12.34', amountOutUsd: null, contractAddress: null }
  const deposit = { depositAddress: `0x${randomUUID()}`, depositMemo: null, timeEstimate: 150 }
  const { createdAt, expiresAt, id: invoiceId } = invoice
  const times = { deadline: expiresAt, quoteDeadline: expiresAt, createdAt }
  return { ...asset, ...amounts, ...deposit, ...times, publicId: randomUUID(), invoiceId, refundTo, quoteRaw: refundTo }
}

const refusedWith = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

onBothDatabases(engine => {
  test('the request ends keys and sessions, and refuses every change until the owner keeps the account', async t => {
    const service = await open(engine, t)
    const { accountDeletions, apiKeys, sessions, store } = service
    const account = await service.account(EMAIL, 1)
    const { key } = await apiKeys.create(account, 'till')
    const { token } = await sessions.create(account, 'script')
    const dueAt = await accountDeletions.request(account, ACTOR)
    assert.equal(dueAt, service.clock.secs + WAIT_SECS)
    assert.deepEqual([await apiKeys.authenticate(key), await sessions.authenticate(token)], [null, null])
    await service.pass(60)
    assert.equal(await accountDeletions.request(account, ACTOR), dueAt, 'a repeated request changes nothing')

    const deleting = (await service.reread(account)) as Account
    const { accounts, billing, invoices, viewingKeys, webhooks, withdrawals } = service
    const sale = { amountZat: 1_000n, expiresInSecs: 900, idempotencyKey: undefined }
    const order = { amountZat: 5_000_000n, fiatCurrency: 'EUR', payoutTo: 'IBAN', idempotencyKey: undefined }
    const refused = refusedWith('account_being_deleted')
    await assert.rejects(apiKeys.create(deleting, 'new', ACTOR), refused)
    await assert.rejects(sessions.create(deleting, 'new', ACTOR), refused)
    await assert.rejects(webhooks.set(deleting, 'https://shop.example/hook', ACTOR), refused)
    await assert.rejects(viewingKeys.set(deleting, testViewingKey(2), ACTOR), refused)
    await assert.rejects(accounts.setTerms(deleting, { confirmations: 7 }, ACTOR), refused)
    await assert.rejects(accounts.setEmail(deleting, 'other@example.org', ACTOR), refused)
    await assert.rejects(withdrawals.create(deleting, order, ACTOR), refused)
    await assert.rejects(billing.subscribe(deleting, 'Pro'), refused)
    await assert.rejects(invoices.create(deleting, sale), refused)
    // The state of the account counts, not what the request had read before.
    await assert.rejects(apiKeys.create(account, 'new', ACTOR), refused)

    await accountDeletions.cancel(deleting, ACTOR)
    const kept = (await service.reread(account)) as Account
    assert.equal(kept.deletionRequestedAt, undefined)
    await apiKeys.create(kept, 'new', ACTOR)
    assert.equal(await apiKeys.authenticate(key), null, 'revoked keys stay revoked')
    await service.pass(2 * WAIT_SECS)
    await service.eraseAll()
    assert.equal((await service.reread(account))?.email, EMAIL)
    const mailed = await store.write(tx => tx.mails.claimNotices(service.clock.secs, 50, () => 0))
    const abouts = mailed.map(({ about }) => about)
    assert.ok(abouts.includes('deletion_requested') && abouts.includes('deletion_canceled'))
  })

  test('nothing is left that names the owner, in any table; invoices keep their amounts', async t => {
    const service = await open(engine, t)
    const { apiKeys, sessions, signIn, store, webhooks } = service
    const account = await service.account(EMAIL, 1)
    await apiKeys.create(account, 'c4n4ry key', ACTOR)
    const { session } = await sessions.create(account, 'c4n4ry session', ACTOR)
    await webhooks.set(account, 'https://c4n4ry.example/hook', ACTOR)
    await webhooks.rotateSecret(account, ACTOR)
    const test = await webhooks.test(account)
    await store.write(async tx => {
      const delivery = await tx.deliveries.byPublicId(account.id, test)
      assert.ok(delivery)
      const own = { url: 'https://c4n4ry.example/own', accountId: account.id, publicId: randomUUID() }
      await tx.deliveries.insert([{ ...delivery, ...own, dueAtMs: 0 }])
    })
    // Cancels both before their first attempt.
    await webhooks.remove(account, ACTOR)
    await webhooks.set(account, 'https://c4n4ry.example/hook', ACTOR)
    await service.storeProfiles.change(account, { name: 'c4n4ry shop' }, 'https://pay.example', ACTOR)
    await store.write(tx => tx.storeProfiles.saveLogo(account.id, { hash: 'c4n4ry', image: Uint8Array.of(1) }))
    await signIn.requestCode(EMAIL, '198.51.100.7', '', { ...ACTOR, by: 'visitor', session: null })
    await signIn.requestReauth(account, session, '198.51.100.7')
    const url = 'https://c4n4ry.example/page'
    // The id of a payment link is the service's own.
    const texts = selectFields(
      INVOICE_FIELDS,
      field => isGiven(field) && ['text', 'texts', 'json'].includes(field.type) && field.column !== 'link_id',
    )
    const given = {
      ...Object.fromEntries(texts.flatMap(([name, { type }]) => (type === 'text' ? [[name, `c4n4ry ${name}`]] : []))),
      ...{ metadata: '{"c4n4ry":1}', locale: 'en-x-c4n4ry', successUrl: url, cancelUrl: url, webhookUrl: url },
    }
    for (const [name] of texts) assert.ok(name in given, `no text for ${name}`)
    const invoice = await service.sell(account, given)
    const described = await service.sell(account, { description: 'for Mrs c4n4ry' })
    await store.write(async tx => {
      const swap = await tx.swaps.insert(newSwap(invoice, '0xc4n4ry'), 0)
      assert.ok(swap)
      const state = { keepsInvoiceOpen: false, nextPollAtMs: null, statusRaw: '{"c4n4ry":1}' }
      await tx.swaps.update(swap.id, { ...swap, ...state })
    })
    const { viewingKeyId } = account
    const sealed = async () => (await store.read(tx => tx.viewingKeys.byId(viewingKeyId as number)))?.sealed
    const before = Buffer.from((await sealed()) as Uint8Array).toString('hex')
    const stored = await service.database.dump()
    assert.ok(stored.includes('c4n4ry') && stored.includes(before))

    await service.accountDeletions.request(account, ACTOR)
    for (const each of [invoice, described]) await service.expire(each)
    await service.pass(SETTLED_AFTER_SECS)
    await service.eraseAll()

    const left = await service.database.dump()
    assert.ok(
      !left.includes('c4n4ry'),
      left.slice(Math.max(0, left.indexOf('c4n4ry') - 200), left.indexOf('c4n4ry') + 50),
    )
    assert.ok(!left.includes('198.51.100'))
    assert.ok(!left.includes(before))
    assert.equal((await service.invoices.read(invoice.publicId)).amountZat, 1_000n)
    assert.deepEqual(
      (await service.accounts.list()).map(({ email }) => email),
      ['operator'],
    )
    const [entry] = await service.auditLog.list({ kind: 'account_erased' }, 10)
    assert.deepEqual([entry?.accountId, entry?.actor.by], [null, 'service'])
    const again = await service.accounts.findOrCreate(EMAIL)
    assert.notEqual(again.id, account.id, 'the email can be used again')
  })

  test('the account is kept for a week, until its last invoice can no longer be paid, and while a clock is ahead', async t => {
    const service = await open(engine, t)
    const account = await service.account(EMAIL, 1)
    const isKept = async () => {
      await service.eraseAll()
      return (await service.reread(account))?.email === EMAIL
    }
    await service.accountDeletions.request(account, ACTOR)
    await service.pass(WAIT_SECS - 1)
    assert.ok(await isKept())
    service.clock.advance(365 * DAY_SECS)
    assert.ok(await isKept(), 'a clock that the chain does not confirm')
    service.clock.advance(-365 * DAY_SECS)
    await service.accountDeletions.cancel(account, ACTOR)

    const invoice = await service.sell((await service.reread(account)) as Account)
    await service.accountDeletions.request(account, ACTOR)
    await service.pass(SETTLED_AFTER_SECS)
    assert.ok(await isKept(), 'the invoice is still pending')
    await service.expire(invoice)
    service.clock.advance(-1)
    assert.ok(await isKept(), 'a synced time ahead of the clock, which a wrong clock wrote')
    service.clock.advance(1)
    assert.ok(!(await isKept()))
  })

  test('an invoice that can be paid late, an open withdrawal, plan purchase, swap or delivery, events for an endpoint and an owed refund keep the account', async t => {
    const service = await open(engine, t)
    const { billing, endpoints, store, webhooks, withdrawals } = service
    const openWork = ({ id }: Account) => store.read(tx => tx.accountDeletions.openWork(id, service.clock.secs))
    const order = { amountZat: 5_000_000n, fiatCurrency: 'EUR', payoutTo: 'IBAN', idempotencyKey: undefined }
    const beginnings: Record<Exclude<OpenWork, 'set_aside'>, (account: Account) => Promise<unknown>> = {
      invoice: async account => service.expire(await service.sell(account)),
      withdrawal: account => withdrawals.create(account, order),
      plan_purchase: async account => service.expire(await billing.subscribe(account, 'Pro')),
      swap: async account => {
        const invoice = await service.sell(account)
        await service.expire(invoice)
        await store.write(tx => tx.swaps.insert(newSwap(invoice), 4_000_000_000_000))
        await service.pass(SETTLED_AFTER_SECS)
      },
      delivery: async account => {
        await webhooks.set(account, 'https://shop.example/hook')
        await webhooks.test(account)
      },
      endpoint: async account => {
        await endpoints.create(account, { url: 'https://shop.example/endpoint' })
        assert.equal(await openWork(account), null, 'an endpoint without events')
        const event = { accountId: account.id, invoiceId: null, type: 'plan.updated', body: '{}' } as const
        await store.write(tx => tx.events.append([{ ...event, createdAt: service.clock.secs, publicId: randomUUID() }]))
      },
      refund: async account => {
        const invoice = await service.sell(account)
        await service.expire(invoice)
        await service.pass(SETTLED_AFTER_SECS)
        await store.write(tx => tx.refunds.insert(newRefund(invoice), null))
      },
    }
    for (const [kind, begin] of Object.entries(beginnings)) {
      const account = await service.account(`${kind}@example.org`, 1)
      assert.equal(await openWork(account), null, kind)
      await begin(account)
      assert.equal(await openWork(account), kind)
    }
  })

  test('while the account is being deleted its owner can cancel an owed refund, and then it is deleted', async t => {
    const service = await open(engine, t)
    const { accountDeletions, refunds, store } = service
    const account = await service.account(EMAIL, 1)
    const invoice = await service.sell(account)
    await service.expire(invoice)
    const { publicId } = await store.write(tx => tx.refunds.insert(newRefund(invoice), null))
    await accountDeletions.request(account, ACTOR)
    await service.pass(SETTLED_AFTER_SECS)
    await service.eraseAll()
    const deleting = (await service.reread(account)) as Account
    assert.equal(deleting.email, EMAIL, 'kept')
    await refunds.cancel(deleting, publicId, ACTOR)
    await service.eraseAll()
    assert.notEqual((await service.reread(account))?.email, EMAIL, 'deleted')
  })

  for (const status of ['deposit_detected', 'payout_processing', 'needs_attention', 'completed'] as const) {
    const isOwed = status !== 'completed'
    test(`an account whose withdrawal is ${status} is ${isOwed ? 'kept' : 'deleted'} when its deposit is final`, async t => {
      const service = await open(engine, t)
      const { store, withdrawals } = service
      const account = await service.account(EMAIL, 1)
      const order = { amountZat: 5_000_000n, fiatCurrency: 'EUR', payoutTo: 'IBAN', idempotencyKey: undefined }
      const { withdrawal, invoice } = await withdrawals.create(account, order)
      await service.accountDeletions.request(account, ACTOR)
      await store.write(async tx => {
        await tx.invoices.updateStates([{ ...invoice, status: 'paid' }])
        await tx.withdrawals.update(invoice.id, { ...withdrawal, status })
      })
      await service.pass(SETTLED_AFTER_SECS)
      await service.eraseAll()
      assert.equal((await service.reread(account))?.email === EMAIL, isOwed)
    })
  }

  test('an account with work that is set aside is kept until it is done, and its own deletion can be set aside', async t => {
    const service = await open(engine, t)
    const { store, setAsides, accountDeletions } = service
    const account = await service.account(EMAIL, 1)
    const other = await service.account('other@example.org', 2)
    const third = await service.account('third@example.org', 3)
    for (const it of [account, other, third]) await accountDeletions.request(it, ACTOR)
    const row = { kind: 'invoice', rowId: 1, reference: 'lost', accountId: account.id } as const
    await setAsides.record(row, new Error('poison'))
    const repair = await poisonRow(service.database.url, {
      table: 'accounts',
      column: 'id',
      value: String(other.id),
      on: 'UPDATE',
    })
    await service.pass(SETTLED_AFTER_SECS)
    await service.eraseAll()
    const emails = async () =>
      Promise.all([account, other, third].map(async it => (await service.reread(it))?.email.split('@')[0]))
    assert.deepEqual((await emails()).slice(0, 2), ['c4n4ry', 'other'])
    assert.ok(!(await emails()).includes('third'), 'it is deleted behind the bad one')
    await store.write(tx => tx.setAside.remove(row))
    await repair()
    service.clock.advance(60)
    await accountDeletions.retrySetAside()
    await service.eraseAll()
    assert.ok(!(await emails()).some(email => email === 'c4n4ry' || email === 'other'))
    assert.deepEqual(await setAsides.countByKind(), [])
  })

  test('a viewing key of several accounts stays for the others, and a deleted key never repeats an address', async t => {
    const service = await open(engine, t)
    const [leaving, staying] = [await service.account(EMAIL, 1), await service.account('stays@example.org', 1)]
    assert.equal(leaving.viewingKeyId, staying.viewingKeyId)
    const first = await service.sell(leaving)
    await service.expire(first)
    await service.accountDeletions.request(leaving, ACTOR)
    await service.pass(SETTLED_AFTER_SECS)
    await service.eraseAll()
    assert.equal((await service.reread(leaving))?.viewingKeyId, null)
    const second = await service.sell(staying)
    await service.expire(second)

    await service.accountDeletions.request(staying, ACTOR)
    await service.pass(SETTLED_AFTER_SECS)
    await service.eraseAll()
    assert.equal((await service.scanKeys.all()).keys.filter(({ id }) => id === staying.viewingKeyId).length, 0)
    const returned = await service.account(EMAIL, 1)
    assert.equal(returned.viewingKeyId, staying.viewingKeyId, 'the row with the counter is found again')
    const third = await service.sell(returned)
    const indexes = [first, second, third].map(({ diversifierIndex }) => diversifierIndex)
    assert.equal(new Set(indexes).size, 3)
    assert.deepEqual(
      indexes,
      indexes.toSorted((a, b) => Number(a - b)),
    )
    assert.ok(
      (await service.scanKeys.watchedAt(service.clock.secs)).keys.some(({ id }) => id === returned.viewingKeyId),
    )
  })

  test('the events of other accounts, which have the same numbers, stay', async t => {
    const service = await open(engine, t)
    const [other, account] = [await service.account('other@example.org', 1), await service.account(EMAIL, 2)]
    const invoices = [await service.sell(other), await service.sell(account)]
    const eventsOf = ({ id }: Account) => service.store.read(tx => tx.events.listAfter(id, 0, 10))
    const before = await eventsOf(other)
    assert.deepEqual([before.map(({ seq }) => seq), (await eventsOf(account)).map(({ seq }) => seq)], [[1], [1]])
    await service.accountDeletions.request(account, ACTOR)
    for (const invoice of invoices) await service.expire(invoice)
    await service.pass(SETTLED_AFTER_SECS)
    await service.eraseAll()
    assert.deepEqual([await eventsOf(other), await eventsOf(account)], [before, []])
  })

  test('many rows are deleted in bounded steps, and accounts that are not settled do not hide others', async t => {
    const service = await open(engine, t)
    const { accountDeletions, store } = service
    const busy = await service.account('busy@example.org', 1)
    await service.sell(busy)
    const account = await service.account(EMAIL, 2)
    await store.write(async tx => {
      for (let i = 0; i < 1_100; i++)
        await tx.audit.append({ accountId: account.id, kind: 'signed_in', actor: ACTOR, detail: null, createdAt: i })
    })
    await accountDeletions.request(busy, ACTOR)
    await accountDeletions.request(account, ACTOR)
    await service.pass(WAIT_SECS)
    assert.deepEqual([await accountDeletions.eraseDue(), await accountDeletions.eraseDue()], [true, true])
    assert.equal((await service.reread(account))?.email, EMAIL)
    await service.eraseAll()
    assert.notEqual((await service.reread(account))?.email, EMAIL)
    assert.equal((await service.reread(busy))?.email, 'busy@example.org')
  })
})
