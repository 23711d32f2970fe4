import { payoutSealContext } from '../domain/withdrawal.ts'
import type { Withdrawal } from '../ports/repository/withdrawal.ts'
import type { Tx } from '../ports/store.ts'
import type { Vault } from '../ports/vault.ts'

/** A withdrawal with its decrypted payout details. */
export interface PayoutOrder {
  readonly withdrawal: Withdrawal
  /** Payout details in full. */
  readonly payoutTo: string
}

/** An order with the account that it belongs to. */
export interface OwnedPayoutOrder extends PayoutOrder {
  readonly email: string
}

/** Decrypts the payout details of an order. */
export function openPayoutOrder(vault: Vault, withdrawal: Withdrawal): PayoutOrder {
  const { sealedPayoutTo, invoiceId } = withdrawal
  if (sealedPayoutTo.length === 0) return { withdrawal, payoutTo: 'deleted with the account' }
  return { withdrawal, payoutTo: Buffer.from(vault.open(sealedPayoutTo, payoutSealContext(invoiceId))).toString() }
}

/** Decrypts the payout details of orders, and reads whose they are. */
export async function withOwners(
  tx: Tx,
  vault: Vault,
  withdrawals: readonly Withdrawal[],
): Promise<OwnedPayoutOrder[]> {
  const emails = new Map<number, string>()
  for (const id of new Set(withdrawals.map(({ accountId }) => accountId)))
    emails.set(id, (await tx.accounts.byId(id))?.email ?? '')
  return withdrawals.map(order => ({ ...openPayoutOrder(vault, order), email: emails.get(order.accountId) ?? '' }))
}
