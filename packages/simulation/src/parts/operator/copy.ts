import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import type { EncryptionKeys } from './encryption-keys.ts'

/** A copy of the database. */
export interface Copy {
  readonly content: unknown
  readonly takenMs: number
  /** The keys that its secrets are sealed with, which the operator keeps beside it. */
  readonly encryptionKeys: readonly Uint8Array[]
}

export function copyDatabase({ database, scheduler }: World, keys: EncryptionKeys): Copy {
  return { content: database.copyContent(), takenMs: scheduler.nowMs, encryptionKeys: keys.present }
}

/** The identity of a copy that takes the place of the present database. */
export function nextIdentity({ databaseIdentity }: World): string {
  const [name, number] = databaseIdentity.split('-')
  return `${name}-${Number(number) + 1}`
}

export function ageSecs({ scheduler }: World, { takenMs }: Copy): number {
  return Math.round((scheduler.nowMs - takenMs) / 1000)
}

/** PostgreSQL logs a sequence up to this number of values before they are drawn. */
const LOGGED_AHEAD = 32

/**
 * How far the sequence of each table in a copy is ahead of its content: by nothing, so that the ids of lost rows are given
 * to others, or by what PostgreSQL had logged.
 */
export function drawIdsAhead(draw: Draw): () => number {
  return draw.chance(0.5) ? () => 0 : () => draw.int(0, LOGGED_AHEAD)
}
