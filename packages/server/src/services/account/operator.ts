import { type Account, saleTermsOf } from '../../domain/account/account.ts'
import { AppError } from '../../domain/error.ts'
import type { Store } from '../../ports/store.ts'
import { type AccountDefaults, findOrCreateAccount } from './account.ts'
import type { ViewingKeys } from './viewing-key.ts'

/** Stored as the email of the operator's account. It is not a valid address, so no one can sign in with it. */
const OPERATOR_EMAIL = 'operator'

/**
 * Finds or creates the account that receives payments for plans and deposits of withdrawals. New invoices use the given
 * billing viewing key. Earlier invoices stay watched under their own keys.
 * @throws Error when the key is invalid or belongs to another network
 */
export async function ensureOperatorAccount(
  deps: AccountDefaults & {
    readonly store: Store
    readonly viewingKeys: ViewingKeys
    readonly billingViewingKey: string
  },
): Promise<Account> {
  const { confirmations } = deps
  const account = await deps.store.write(async tx => {
    const operator = await findOrCreateAccount(tx, OPERATOR_EMAIL, deps)
    await tx.accounts.setTerms(operator.id, { ...saleTermsOf(operator), confirmations })
    return { ...operator, confirmations }
  })
  try {
    return await deps.viewingKeys.setWithoutNotification(account, deps.billingViewingKey)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new Error(`BILLING_VIEWING_KEY is wrong: ${error.extra.detail ?? error.message}`, { cause: error })
  }
}
