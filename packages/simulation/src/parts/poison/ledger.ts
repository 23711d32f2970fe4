import type { PoisonKind } from '../../world/poison.ts'
import { query } from '../../world/query.ts'
import type { World } from '../../world/world.ts'

/** A row that the service has set aside. */
export interface SetAsideRow {
  readonly kind: string
  readonly reference: string
  /** 0: put off within a transaction that failed with another row. */
  readonly failures: bigint
}

const SET_ASIDE = 'SELECT kind, reference, failures FROM set_aside'
const FINGERPRINT = 'SELECT lower(hex(fingerprint)) AS reference FROM viewing_keys WHERE id = ?'

export const readSetAside = query<SetAsideRow>(SET_ASIDE)

/** Whether the service has put work on the row off. False without a query while no row has been poisoned. */
export function isSetAside(world: World, kind: PoisonKind, reference: string): boolean {
  if (!world.poison.hasBegun) return false
  const rows = world.database.committed(`${SET_ASIDE} WHERE kind = ? AND reference = ?`, kind, reference)
  return rows.length > 0
}

/** Whether the service leaves the row out because it is poisoned, or was until a while ago. */
export function isLeftOut(world: World, kind: PoisonKind, reference: string): boolean {
  return world.poison.wasPoisoned(kind, reference) && isSetAside(world, kind, reference)
}

/** As `isLeftOut`, of a viewing key. */
export function isKeyLeftOut(world: World, viewingKeyId: bigint): boolean {
  if (!world.poison.hasBegun) return false
  const [key] = world.database.committed<{ reference: string }>(FINGERPRINT, viewingKeyId)
  return key !== undefined && isLeftOut(world, 'scan_key', key.reference)
}

/** As `isLeftOut`, of the webhook of an account. */
export function isWebhookLeftOut(world: World, accountId: bigint): boolean {
  if (!world.poison.hasBegun) return false
  const [webhook] = world.database.committed<{ created_at: bigint }>(
    'SELECT created_at FROM webhooks WHERE account_id = ?',
    accountId,
  )
  return webhook !== undefined && isLeftOut(world, 'webhook', `${accountId} ${webhook.created_at}`)
}
