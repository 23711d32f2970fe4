import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../src/domain/error.ts'
import type { ExportFormat } from '../../../src/domain/sale/export.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import type { NewRefund, Refund } from '../../../src/domain/sale/refund.ts'
import { createExports } from '../../../src/services/sale/export.ts'
import { onBothDatabases, openEmptyStore } from '../../harness/databases.ts'
import { NOW, openShop } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

const COLUMNS = [
  ...['id', 'invoice_id', 'order_id', 'status', 'amount_zat', 'amount_zec', 'price_amount', 'price_currency', 'rate'],
  ...['rate_currency', 'rate_sources', 'rate_utc', 'reason', 'txid', 'created_at', 'updated_at'],
  ...['created_utc', 'updated_utc'],
]
const ADDRESS = 'uregtest1buyer'
const TXID = 'ab'.repeat(32)

onBothDatabases(engine => {
  async function harness(t: TestContext) {
    const store = await openEmptyStore(engine, t)
    const shop = await openShop(store)
    const exports = createExports({ store, clock: new ManualClock(NOW + 1_000_000) })
    const refund = (invoice: Invoice, terms: Partial<NewRefund> = {}): Promise<Refund> => {
      const draft: NewRefund = {
        publicId: randomUUID(),
        linkId: randomUUID(),
        accountId: invoice.accountId,
        invoiceId: invoice.id,
        status: 'ready',
        amountZat: 150_000_000n,
        address: ADDRESS,
        addressFromBuyer: true,
        createdAt: NOW,
        updatedAt: NOW,
        ...terms,
      }
      return store.write(tx => tx.refunds.insert(draft, null))
    }
    async function read(format: ExportFormat, period: { from: number; to?: number } = { from: 0 }): Promise<string> {
      let text = ''
      for await (const chunk of exports.refunds(shop.account, null, format, period).chunks) text += chunk
      return text
    }
    return { store, shop, exports, refund, read }
  }

  test('each refund is exported once with its invoice and order, oldest first, across pages', async t => {
    const { shop, refund, read } = await harness(t)
    const [first, second] = [await shop.sell({ orderId: '1' }), await shop.sell()]
    const made: string[] = []
    for (let i = 0; i < 203; i++)
      made.push((await refund(i % 2 === 0 ? first : second, { createdAt: NOW + Math.floor(i / 2) })).publicId)
    const rows = JSON.parse(await read('json'))
    const expected = made.map((id, i) => [id, ...(i % 2 === 0 ? [first.publicId, '1'] : [second.publicId, undefined])])
    assert.deepEqual(
      rows.map((row: Record<string, unknown>) => [row.id, row.invoice_id, row.order_id]),
      expected,
    )
    const lines = (await read('csv')).split('\r\n').slice(1, -1)
    assert.deepEqual(
      lines.map(line => line.split(',').slice(0, 3)),
      expected.map(([id, invoice, order]) => [id, invoice, order ?? '']),
    )
    const part = JSON.parse(await read('json', { from: NOW + 3, to: NOW + 5 }))
    assert.deepEqual(
      part.map((row: { created_at: number }) => row.created_at - NOW),
      [3, 3, 4, 4],
    )
    assert.equal(await read('json', { from: NOW + 500 }), '[]\n')
    assert.equal(await read('csv', { from: NOW + 500 }), `${COLUMNS.join(',')}\r\n`)
  })

  test('a row has what was refunded and why, in money as well; no formula, no address and no link', async t => {
    const { store, shop, refund, read } = await harness(t)
    const invoice = await shop.sell({ orderId: '=1' })
    const made = await refund(invoice, {
      price: { amount: '25.50', currency: 'eur' },
      rate: { currency: 'EUR', price: '17.0', sources: ['gemini', 'kraken'], fetched_at: NOW - 7 },
      reason: '+49 torn; "badly"',
    })
    const sent: Refund = { ...made, status: 'sent', txid: TXID, updatedAt: NOW + 60 }
    await store.write(tx => tx.refunds.update(sent))
    const files = [await read('csv'), await read('csv_semicolon'), await read('json')] as const
    assert.equal(
      files[0].split('\r\n')[1],
      `${made.publicId},${invoice.publicId},'=1,sent,150000000,1.5,25.50,EUR,17.0,EUR,gemini kraken,` +
        `2027-01-15 07:59:53,"'+49 torn; ""badly""",${TXID},${NOW},${NOW + 60},2027-01-15 08:00:00,2027-01-15 08:01:00`,
    )
    assert.match(files[1], /;sent;150000000;"?1,5"?;"?25,50"?;EUR;"?17,0"?;EUR;/)
    assert.deepEqual(JSON.parse(files[2]), [
      {
        id: made.publicId,
        invoice_id: invoice.publicId,
        order_id: '=1',
        status: 'sent',
        amount_zat: 150_000_000,
        price: { amount: '25.50', currency: 'eur' },
        rate: { currency: 'EUR', price: '17.0', sources: ['gemini', 'kraken'], fetched_at: NOW - 7 },
        reason: '+49 torn; "badly"',
        txid: TXID,
        created_at: NOW,
        updated_at: NOW + 60,
      },
    ])
    for (const file of files) for (const secret of [ADDRESS, made.linkId]) assert.ok(!file.includes(secret))
  })

  test('an export leaves an address unseen, and shares its place with that of invoices', async t => {
    const { store, shop, exports, refund, read } = await harness(t)
    const { publicId } = await refund(await shop.sell())
    await read('csv')
    const stored = await store.read(tx => tx.refunds.byPublicId(shop.account.id, publicId))
    assert.equal(stored?.seenAt, null)
    const invoices = exports.invoices(shop.account, null, 'csv', { from: 0 })
    const inProgress = (error: unknown) => error instanceof AppError && error.code === 'export_in_progress'
    await assert.rejects(read('csv'), inProgress)
    await invoices.chunks.return?.()
    await read('csv')
  })
})
