import type { ExpiryContext, KeyExpiry } from '../../domain/account/viewing-key.ts'
import type { BatchTx } from '../../ports/store.ts'

/** The time and height to check the expiry of a viewing key against. Reads the tip only for a key with an expiry height. */
export async function readExpiryContext(
  tx: Pick<BatchTx, 'chain'>,
  { height }: KeyExpiry,
  now: number,
): Promise<ExpiryContext> {
  const tip = height === null ? null : await tx.chain.tip()
  return { now, tipHeight: tip?.height ?? null }
}
