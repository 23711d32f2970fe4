import type { Account, Network } from '../domain/account.ts'
import { Fault } from '../domain/error.ts'
import { FREE_PLAN } from '../domain/plan.ts'
import type { Clock, Random, Store } from '../ports.ts'
import { nowSecs } from '../ports.ts'
import type { ViewingKeys } from './viewing-key.ts'

/** What the operator's account is found by. It is no address, so nobody can sign in to it. */
const OPERATOR = 'operator'

/**
 * The account whose invoices pay for plans and take the deposits of withdrawals, made at the first start with a
 * billing viewing key. New invoices are under the key given now; earlier ones stay watched under theirs.
 * @throws Error when the key is none of the network's
 */
export async function openOperator(deps: {
  readonly store: Store
  readonly viewingKeys: ViewingKeys
  readonly clock: Clock
  readonly random: Random
  readonly network: Network
  readonly confirmations: number
  readonly billingViewingKey: string
}): Promise<Account> {
  const { store, clock, random, network, confirmations } = deps
  const fresh = {
    publicId: random.uuid(),
    email: OPERATOR,
    network,
    confirmations,
    plan: FREE_PLAN,
    createdAt: nowSecs(clock),
  }
  const account = await store.write(async rows => {
    const known = (await rows.accounts.insert(fresh)) ?? (await rows.accounts.byEmail(OPERATOR))
    if (!known) throw new Error('the operator account is neither there nor can it be made')
    await rows.accounts.setConfirmations(known.id, confirmations)
    return { ...known, confirmations }
  })
  try {
    return await deps.viewingKeys.assign(account, deps.billingViewingKey)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    throw new Error(`BILLING_VIEWING_KEY is wrong: ${error.extra.detail ?? error.message}`, { cause: error })
  }
}
