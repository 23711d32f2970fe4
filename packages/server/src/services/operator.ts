import type { Account, Network } from '../domain/account.ts'
import { AppError } from '../domain/error.ts'
import { FREE_PLAN } from '../domain/plan.ts'
import { type Clock, nowSecs } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { Store } from '../ports/store.ts'
import type { ViewingKeys } from './viewing-key.ts'

/** Stored as the email of the operator's account. It is not a valid address, so no one can sign in with it. */
const OPERATOR_EMAIL = 'operator'

/**
 * Finds or creates the account that receives payments for plans and deposits of withdrawals. New invoices use the given
 * billing viewing key. Earlier invoices stay watched under their own keys.
 * @throws Error when the key is invalid or belongs to another network
 */
export async function ensureOperatorAccount(deps: {
  readonly store: Store
  readonly viewingKeys: ViewingKeys
  readonly clock: Clock
  readonly random: Random
  readonly network: Network
  readonly confirmations: number
  readonly billingViewingKey: string
}): Promise<Account> {
  const { store, clock, random, network, confirmations } = deps
  const draft = {
    publicId: random.uuid(),
    email: OPERATOR_EMAIL,
    network,
    confirmations,
    plan: FREE_PLAN,
    createdAt: nowSecs(clock),
  }
  const account = await store.write(async tx => {
    const operator = (await tx.accounts.insert(draft)) ?? (await tx.accounts.byEmail(OPERATOR_EMAIL))
    if (!operator) throw new Error('the operator account can neither be found nor created')
    await tx.accounts.setConfirmations(operator.id, confirmations)
    return { ...operator, confirmations }
  })
  try {
    return await deps.viewingKeys.setWithoutNotification(account, deps.billingViewingKey)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw new Error(`BILLING_VIEWING_KEY is wrong: ${error.extra.detail ?? error.message}`, { cause: error })
  }
}
