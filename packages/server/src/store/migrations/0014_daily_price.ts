import type { Dialect } from '../dialect.ts'

/**
 * `daily_prices`: the prices of an account's sales that became paid on a UTC day, by currency. `units` is their sum in the
 * smallest unit of the currency, and `amount_zat` what they were converted to. Sales before this table have no price here.
 */
export function dailyPriceMigration({ int, strict }: Dialect): string[] {
  return [
    `CREATE TABLE daily_prices (
      account_id ${int} NOT NULL REFERENCES accounts (id),
      day ${int} NOT NULL,
      currency TEXT NOT NULL,
      invoices ${int} NOT NULL,
      units ${int} NOT NULL,
      amount_zat ${int} NOT NULL,
      PRIMARY KEY (account_id, day, currency)
    ) ${strict}`,
  ]
}
