import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'

/** The invoices of a shop over a year, of which some need more attention than others. */
export interface ManyInvoices {
  readonly accountId: number
  readonly viewingKeyId: number
  readonly invoices: number
  /** Unix seconds of the first one, and of the time after the last one. */
  readonly from: number
  readonly to: number
}

const ADDRESS = `uregtest1${'q'.repeat(105)}`
const AMOUNT_ZAT = 150_000_000

/** The public id of the n-th invoice, from 1 on; that of its refund begins with another digit. In SQL, `n` is its number. */
const PUBLIC_ID = `'00000000-0000-4000-8000-' || cast(100000000000 + n AS text)`
const REFUND_ID = `'10000000-0000-4000-8000-' || cast(100000000000 + n AS text)`
const LINK_ID = `'20000000-0000-4000-8000-' || cast(100000000000 + n AS text)`

/** Of 100 invoices, 90 are paid, 2 of them too much, 1 late and 1 refunded; 4 are underpaid, 5 expired, 1 canceled. */
function statements(many: ManyInvoices): string[] {
  const { accountId, viewingKeyId, invoices, from, to } = many
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT cast(1 AS bigint) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${invoices})`
  const createdAt = `${from} + (n - 1) * ${to - from} / ${invoices}`
  return [
    `INSERT INTO invoices (public_id, account_id, viewing_key_id, diversifier_index, purpose, address, amount_zat,
      confirmations, status, received_zat, due_zat, overpaid_zat, txid, created_at, expires_at, watch_until, paid_at,
      order_id, price, rate, late_at, canceled_at, refunded_zat)
    ${numbers}
    SELECT ${PUBLIC_ID}, ${accountId}, ${viewingKeyId}, n, 'sale', '${ADDRESS}', ${AMOUNT_ZAT}, 3,
      CASE WHEN n % 100 < 90 THEN 'paid' WHEN n % 100 < 94 THEN 'underpaid' ELSE 'expired' END,
      CASE WHEN n % 100 < 90 THEN ${AMOUNT_ZAT} WHEN n % 100 < 94 THEN 5 ELSE 0 END,
      CASE WHEN n % 100 < 90 THEN 0 WHEN n % 100 < 94 THEN ${AMOUNT_ZAT} - 5 ELSE ${AMOUNT_ZAT} END,
      CASE WHEN n % 100 < 2 THEN 7 ELSE 0 END,
      CASE WHEN n % 100 < 94 THEN '${'ab'.repeat(32)}' END,
      ${createdAt}, ${createdAt} + 900, ${createdAt} + 605700,
      CASE WHEN n % 100 < 90 THEN ${createdAt} + 300 END,
      cast(n AS text), '{"amount":"25.00","currency":"EUR"}',
      '{"currency":"EUR","price":"16.66","sources":["gemini","kraken"],"fetched_at":${from}}',
      CASE WHEN n % 100 = 2 THEN ${createdAt} + 2000 END,
      CASE WHEN n % 100 = 99 THEN ${createdAt} + 60 END,
      CASE WHEN n % 100 = 3 THEN ${AMOUNT_ZAT} END
    FROM numbers`,
    `INSERT INTO refunds (public_id, link_id, account_id, invoice_id, status, amount_zat, address, address_from_buyer,
      seen_at, txid, created_at, updated_at)
    SELECT ${REFUND_ID}, ${LINK_ID}, account_id, id, CASE WHEN n % 200 = 3 THEN 'ready' ELSE 'sent' END, amount_zat,
      '${ADDRESS}', 1, created_at, txid, created_at + 3600, created_at + 7200
    FROM (SELECT invoices.*, diversifier_index AS n FROM invoices WHERE account_id = ${accountId}) AS sold
    WHERE refunded_zat IS NOT NULL ORDER BY id`,
  ]
}

/** Adds the invoices, and a refund of each hundredth one. */
export async function addManyInvoices(url: string, many: ManyInvoices): Promise<void> {
  if (url.startsWith('sqlite:')) {
    const database = new DatabaseSync(url.slice('sqlite:'.length))
    for (const statement of statements(many)) database.exec(statement)
    database.close()
    return
  }
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (const statement of [...statements(many), 'VACUUM ANALYZE']) await client.query(statement)
  } finally {
    await client.end()
  }
}
