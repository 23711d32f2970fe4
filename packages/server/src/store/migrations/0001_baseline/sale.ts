import type { Dialect } from '../../dialect.ts'

/**
 * - `invoices`: lists are ordered by time, so that a period is a range of the same index; the partial indexes cost nothing
 *   when an invoice is created. `confirms_at_height` is the height from which on the full amount of an unpaid invoice may
 *   be confirmed. `created_rewind` is the newest row of `rewinds` when the invoice was created, read together with
 *   `created_height`.
 * - `payments`: `vanished_since` is the time of the first complete mempool snapshot without an unmined payment,
 *   `vanished_height` the newest block at that time. `awaits_witness` is 1 for a payment that a rescan has found and no
 *   second chain server has shown yet.
 * - `payment_totals`: the payments of an invoice by block, so that their number does not slow its evaluation. `height` is
 *   -1 for the mempool; dropped payments have no total, and no total is 0. `awaiting_zat` is the part that awaits a second
 *   server. A total changes with its payments, under the lock of the invoice.
 * - `daily_totals`: the paid sales of an account by UTC day.
 * - `swaps`: `next_poll_at_ms` is null once a swap needs no more polls; claiming a swap moves it ahead, so that it is both
 *   schedule and lease. `deposit_key` is the deposit address and memo.
 * - `swap_starts` count against the limit of starts.
 */
export function saleTables(dialect: Dialect): string[] {
  return [...invoiceTables(dialect), ...paymentTables(dialect), ...swapTables(dialect)]
}

function invoiceTables({ id, int, blob, strict }: Dialect): string[] {
  return [
    `CREATE TABLE invoices (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      account_id ${int} NOT NULL REFERENCES accounts (id),
      viewing_key_id ${int} NOT NULL REFERENCES viewing_keys (id),
      diversifier_index ${int} NOT NULL,
      purpose TEXT NOT NULL,
      address TEXT NOT NULL,
      amount_zat ${int} NOT NULL,
      confirmations ${int} NOT NULL,
      status TEXT NOT NULL,
      received_zat ${int} NOT NULL,
      due_zat ${int} NOT NULL,
      overpaid_zat ${int} NOT NULL,
      txid TEXT,
      created_at ${int} NOT NULL,
      created_height ${int},
      created_rewind ${int},
      expires_at ${int} NOT NULL,
      open_until_height ${int},
      watch_until ${int} NOT NULL,
      confirms_at_height ${int},
      paid_at ${int},
      underpaid_at ${int},
      kept_open_by_swap ${int} NOT NULL DEFAULT 0,
      swap_id ${int},
      needs_attention ${int} NOT NULL DEFAULT 0,
      attention_since ${int},
      UNIQUE (viewing_key_id, diversifier_index)
    ) ${strict}`,
    "CREATE INDEX invoices_due ON invoices (expires_at, id) WHERE status = 'pending' AND kept_open_by_swap = 0",
    'CREATE INDEX invoices_confirming ON invoices (confirms_at_height, id) WHERE confirms_at_height IS NOT NULL',
    'CREATE INDEX invoices_by_time ON invoices (account_id, created_at, id)',
    'CREATE INDEX invoices_by_status ON invoices (account_id, status, created_at, id)',
    'CREATE INDEX invoices_needing_attention ON invoices (account_id, id) WHERE needs_attention = 1',
    'CREATE INDEX invoices_overpaid ON invoices (account_id, id) WHERE overpaid_zat > 0',
    'CREATE INDEX invoices_overpaid_by_time ON invoices (account_id, paid_at) WHERE overpaid_zat > 0',
    `CREATE TABLE idempotency_keys (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      key TEXT NOT NULL,
      body_hash ${blob} NOT NULL,
      invoice_public_id TEXT NOT NULL,
      created_at ${int} NOT NULL,
      PRIMARY KEY (account_id, key)
    ) ${strict}`,
    'CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)',
    `CREATE TABLE daily_totals (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      day ${int} NOT NULL,
      received_zat ${int} NOT NULL,
      invoices ${int} NOT NULL,
      PRIMARY KEY (account_id, day)
    ) ${strict}`,
  ]
}

function paymentTables({ id, int, strict }: Dialect): string[] {
  return [
    `CREATE TABLE payments (
      id ${id},
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      txid TEXT NOT NULL,
      pool TEXT NOT NULL,
      output_index ${int} NOT NULL,
      value_zat ${int} NOT NULL,
      location TEXT NOT NULL,
      height ${int},
      expiry_height ${int},
      seen_at ${int} NOT NULL,
      in_snapshot ${int} NOT NULL DEFAULT 0,
      vanished_since ${int},
      vanished_height ${int},
      last_seen_height ${int},
      awaits_witness ${int} NOT NULL DEFAULT 0,
      UNIQUE (txid, pool, output_index)
    ) ${strict}`,
    'CREATE INDEX payments_by_height ON payments (height) WHERE height IS NOT NULL',
    "CREATE INDEX payments_live ON payments (invoice_id, id) WHERE location <> 'dropped'",
    "CREATE INDEX payments_in_mempool ON payments (invoice_id, id) WHERE location = 'mempool'",
    "CREATE INDEX payments_expiring ON payments (expiry_height) WHERE location = 'mempool' AND expiry_height > 0",
    `CREATE INDEX payments_vanished ON payments (vanished_height)
      WHERE location = 'mempool' AND vanished_height IS NOT NULL`,
    "CREATE INDEX payments_awaiting_witness ON payments (height) WHERE awaits_witness = 1 AND location = 'mined'",
    "CREATE INDEX payments_dropped ON payments (invoice_id, id) WHERE location = 'dropped'",
    `CREATE INDEX payments_dropped_expiry ON payments (invoice_id, expiry_height)
      WHERE location = 'dropped' AND expiry_height IS NOT NULL`,
    `CREATE INDEX payments_dropped_last_seen ON payments (invoice_id, last_seen_height)
      WHERE location = 'dropped' AND expiry_height IS NULL`,
    "CREATE INDEX payments_dropped_by_age ON payments (seen_at) WHERE location = 'dropped'",
    `CREATE TABLE payment_totals (
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      height ${int} NOT NULL,
      value_zat ${int} NOT NULL CHECK (value_zat >= 0),
      awaiting_zat ${int} NOT NULL DEFAULT 0 CHECK (awaiting_zat BETWEEN 0 AND value_zat),
      PRIMARY KEY (invoice_id, height)
    ) ${strict}`,
    'CREATE INDEX payment_totals_by_height ON payment_totals (height, invoice_id)',
  ]
}

function swapTables({ id, int, strict }: Dialect): string[] {
  return [
    `CREATE TABLE swaps (
      id ${id},
      public_id TEXT NOT NULL UNIQUE,
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      asset_id TEXT NOT NULL,
      symbol TEXT NOT NULL,
      blockchain TEXT NOT NULL,
      decimals ${int} NOT NULL,
      refund_to TEXT NOT NULL,
      deposit_address TEXT NOT NULL,
      deposit_memo TEXT,
      deposit_key TEXT NOT NULL,
      amount_in TEXT NOT NULL,
      min_amount_in TEXT NOT NULL,
      amount_in_usd TEXT NOT NULL,
      time_estimate ${int} NOT NULL,
      deadline ${int} NOT NULL,
      quote_deadline ${int} NOT NULL,
      quote_raw TEXT NOT NULL,
      created_at ${int} NOT NULL,
      replaced_at ${int},
      status TEXT NOT NULL DEFAULT 'PENDING_DEPOSIT',
      provider_status TEXT NOT NULL DEFAULT '',
      updated_at_ms ${int} NOT NULL DEFAULT 0,
      status_raw TEXT,
      last_report_at ${int},
      deposit_seen_at ${int},
      success_at ${int},
      deposited_amount TEXT,
      refunded_amount TEXT,
      refund_reason TEXT,
      sent_events TEXT NOT NULL DEFAULT '',
      failed_polls ${int} NOT NULL DEFAULT 0,
      keeps_invoice_open ${int} NOT NULL DEFAULT 1,
      needs_attention ${int} NOT NULL DEFAULT 0,
      next_poll_at_ms ${int}
    ) ${strict}`,
    'CREATE UNIQUE INDEX swaps_by_deposit ON swaps (deposit_key)',
    'CREATE INDEX swaps_by_invoice ON swaps (invoice_id, id)',
    'CREATE INDEX swaps_due ON swaps (next_poll_at_ms) WHERE next_poll_at_ms IS NOT NULL',
    'CREATE INDEX swaps_needing_attention ON swaps (id) WHERE needs_attention = 1',
    "CREATE INDEX swaps_abandoned ON swaps (created_at) WHERE next_poll_at_ms IS NULL AND status = 'PENDING_DEPOSIT'",
    `CREATE TABLE swap_starts (
      id ${id},
      invoice_id ${int} NOT NULL REFERENCES invoices (id),
      started_at ${int} NOT NULL
    ) ${strict}`,
    'CREATE INDEX swap_starts_by_invoice ON swap_starts (invoice_id, started_at)',
    'CREATE INDEX swap_starts_by_time ON swap_starts (started_at)',
  ]
}
