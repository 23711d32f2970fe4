import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import { csvField } from '../../../src/services/sale/csv.ts'
import { createExports } from '../../../src/services/sale/export.ts'
import { openEmptyStore, sqliteEngine } from '../../harness/databases.ts'
import { NOW, openShop, type Shop } from '../../harness/fixtures.ts'
import { ManualClock } from '../../harness/manual-clock.ts'

async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += chunk
  return text
}

/** The fields of RFC 4180 text, line by line. */
function parseCsv(text: string, separator = ','): string[][] {
  assert.ok(text.endsWith('\r\n'))
  const lines: string[][] = [[]]
  const field = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\r\n]*))(${separator}|\r\n)`, 'g')
  for (const [, quoted, plain, end] of text.matchAll(field)) {
    lines.at(-1)?.push(quoted === undefined ? (plain as string) : quoted.replaceAll('""', '"'))
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}

async function harness(test: TestContext, invoices: number) {
  const store = await openEmptyStore(sqliteEngine, test)
  const shop = await openShop(store)
  const clock = new ManualClock(NOW + 1_000_000)
  const created: Invoice[] = []
  for (let i = 0; i < invoices; i += 100) created.push(...(await sellMany(shop, i, Math.min(100, invoices - i))))
  return { store, shop, clock, created, exports: createExports({ store, clock }) }
}

function sellMany(shop: Shop, from: number, count: number): Promise<Invoice[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => shop.sell({ createdAt: NOW + from + i })))
}

test('CSV and JSON have every invoice once, oldest first, across pages', async t => {
  const { exports, shop, created } = await harness(t, 1_203)
  const csv = parseCsv(await textOf(exports.invoices(shop.account, null, 'csv', { from: 0 }).chunks))
  const json = JSON.parse(await textOf(exports.invoices(shop.account, null, 'json', { from: 0 }).chunks))
  const expected = created.toSorted((a, b) => a.createdAt - b.createdAt).map(invoice => invoice.publicId)
  assert.deepEqual(
    csv.slice(1).map(line => line[0]),
    expected,
  )
  assert.deepEqual(
    json.map((row: { id: string }) => row.id),
    expected,
  )
  assert.ok(csv.every(line => line.length === csv[0]?.length))
})

test('a row has the values of the listing; CSV adds decimal amounts and readable times', async t => {
  const { exports, shop, store, created } = await harness(t, 1)
  const invoice = created[0] as Invoice
  const paid = {
    status: 'paid' as const,
    receivedZat: 150_000_000n,
    overpaidZat: 149_995_000n,
    txid: 'ab'.repeat(32),
    paidAt: NOW + 60,
  }
  await store.write(rows => rows.invoices.updateStates([{ ...invoice, ...paid }]))
  const [head, row] = parseCsv(await textOf(exports.invoices(shop.account, null, 'csv', { from: 0 }).chunks)) as [
    string[],
    string[],
  ]
  const [listed] = JSON.parse(await textOf(exports.invoices(shop.account, null, 'json', { from: 0 }).chunks))
  assert.deepEqual(listed, {
    id: invoice.publicId,
    status: 'paid',
    amount_zat: 5_000,
    received_zat: 150_000_000,
    overpaid_zat: 149_995_000,
    address: invoice.address,
    txid: 'ab'.repeat(32),
    created_at: NOW,
    expires_at: NOW + 900,
    paid_at: NOW + 60,
  })
  assert.deepEqual(Object.fromEntries(head.map((name, i) => [name, row[i]])), {
    ...Object.fromEntries(Object.entries(listed).map(([name, value]) => [name, String(value)])),
    amount_zec: '0.00005',
    received_zec: '1.5',
    created_utc: '2027-01-15 08:00:00',
    paid_utc: '2027-01-15 08:01:00',
    ...Object.fromEntries(head.slice(FIRST_COLUMNS.length).map(name => [name, ''])),
  })
})

const FIRST_COLUMNS = [
  ...['id', 'status', 'amount_zat', 'received_zat', 'overpaid_zat', 'address', 'txid', 'created_at', 'expires_at'],
  ...['paid_at', 'amount_zec', 'received_zec', 'created_utc', 'paid_utc'],
]
const SALE_COLUMNS = [
  ...['order_id', 'description', 'price_amount', 'price_currency', 'rate', 'rate_currency', 'rate_sources', 'rate_utc'],
  ...['open_amount', 'min_amount_zat', 'tolerance_bps', 'confirmations', 'success_url', 'cancel_url'],
  ...['auto_redirect', 'locale', 'canceled_utc', 'metadata', 'refunded_zat', 'webhook_url', 'marked_as'],
  ...['marked_utc', 'link_id'],
]

test('columns keep their places; those of a sale follow, as of the sale, with the decimal sign of the language', async t => {
  const { exports, shop, store } = await harness(t, 0)
  const invoice = await shop.sell({
    createdAt: NOW,
    orderId: '1001',
    price: { amount: '25.50', currency: 'eur' },
    rate: { currency: 'EUR', price: '40.5', sources: ['gemini', 'kraken'], fetched_at: NOW - 7 },
    toleranceBps: 50,
    autoRedirect: true,
    metadata: '{"a": "x;y",\n"b":1.0}',
  })
  await store.write(tx => tx.invoices.mark(invoice.id, 'settled', NOW + 60))
  const [head, row] = parseCsv(
    await textOf(exports.invoices(shop.account, null, 'csv_semicolon', { from: 0 }).chunks),
    ';',
  ) as [string[], string[]]
  assert.deepEqual(head, [...FIRST_COLUMNS, ...SALE_COLUMNS])
  const cells = Object.fromEntries(head.map((name, i) => [name, row[i]]))
  assert.deepEqual(
    SALE_COLUMNS.map(name => cells[name]),
    [
      ...['1001', '', '25,50', 'EUR', '40,5', 'EUR', 'gemini kraken', '2027-01-15 07:59:53', '', ''],
      ...['50', '', '', '', 'true', '', '', '{"a": "x;y",\n"b":1.0}', '', ''],
      ...['settled', '2027-01-15 08:01:00', ''],
    ],
  )
})

test('a period includes its first second and excludes its end', async t => {
  const { exports, shop } = await harness(t, 10)
  const rows = JSON.parse(
    await textOf(exports.invoices(shop.account, null, 'json', { from: NOW + 3, to: NOW + 6 }).chunks),
  )
  assert.deepEqual(
    rows.map((row: { created_at: number }) => row.created_at - NOW),
    [3, 4, 5],
  )
  assert.equal(await textOf(exports.invoices(shop.account, null, 'json', { from: NOW + 50 }).chunks), '[]\n')
  assert.equal(parseCsv(await textOf(exports.invoices(shop.account, null, 'csv', { from: NOW + 50 }).chunks)).length, 1)
})

const FORMULA_STARTS = [
  ...['=1', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', '\n=1'],
  ...['\uff1d1', '\uff0b1', '\uff0d1', '\uff20SUM(1)'],
  ...['\ufe661', '\ufe621', '\ufe631', '\ufe6bSUM(1)', '\u22121'],
  ...[' =1', '\u00a0=1', '\u3000=1', '\u200b=1', '\ufeff=1'],
]

test('each of 21 ways to begin a formula is guarded, and what only resembles one is not', () => {
  assert.equal(FORMULA_STARTS.length, 21)
  for (const text of [...FORMULA_STARTS, '\u202e=1', ' \u200b \u2060+1', '\u2028=1', '\u3164=1', '\0=1'])
    assert.equal(csvField(text).replace(/^"/, '').slice(0, 1), "'", JSON.stringify(text))
  for (const text of ['shop', ' a=1', "'=1", '1-1', 'a@b']) assert.equal(csvField(text), text)
  assert.equal(csvField('a;=1'), '"a;=1"')
})

test('no CSV field is run as a formula by a spreadsheet, and each is parsed back unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const field = csvField(text)
      assert.doesNotMatch(field, /^"?(?:[\s\p{C}]*[=+\-@＝＋－＠]|[\t\r\n])/u)
      const [[read]] = parseCsv(`${field}\r\n`) as [[string]]
      assert.ok(read === text || read === `'${text}`)
    }),
  )
  assert.equal(csvField('=HYPERLINK("http://evil")'), `"'=HYPERLINK(""http://evil"")"`)
  assert.equal(csvField(-5), '-5')
  assert.equal(csvField(null), '')
})

test('with semicolons, decimals have a comma and are quoted, so programs that also split at commas read one field', async t => {
  const { exports, shop, created } = await harness(t, 2)
  const plain = parseCsv(await textOf(exports.invoices(shop.account, null, 'csv', { from: 0 }).chunks))
  const { type, fileName, chunks } = exports.invoices(shop.account, null, 'csv_semicolon', { from: 0 })
  assert.deepEqual([type, fileName.slice(-4)], ['text/csv; charset=utf-8', '.csv'])
  const lines = (await textOf(chunks)).split('\r\n')
  assert.equal(lines.pop(), '')
  const rows = lines.map(line => line.split(';'))
  assert.deepEqual(rows[0], plain[0])
  const amount = plain[0]?.indexOf('amount_zec') ?? -1
  assert.equal(rows[1]?.[amount], '"0,00005"')
  assert.equal(rows.length, created.length + 1)
  for (const [index, row] of rows.entries())
    assert.deepEqual(
      row.map(field => field.replace(/^"(\d+),(\d+)"$/, '$1.$2')),
      plain[index],
    )
})
