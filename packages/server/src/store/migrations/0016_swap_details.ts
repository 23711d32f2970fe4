/**
 * Of a swap: the contract of its token, which its payment request names, the value that the shop gets, and the newest
 * transaction of its deposit. Earlier swaps have none of them.
 */
export function swapDetailsMigration(): string[] {
  return ['contract_address TEXT', 'amount_out_usd TEXT', 'deposit_txid TEXT'].map(
    column => `ALTER TABLE swaps ADD COLUMN ${column}`,
  )
}
