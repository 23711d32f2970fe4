import { createVault } from '@zatgate/server/adapters/crypto/vault'
import { createSecrets } from '@zatgate/server/services/encryption-key'
import type { Rule } from '../../rules.ts'
import { type Action, action } from '../../run/part.ts'
import { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import { request } from './request.ts'

/** A secret at rest, with the values that its encryption is bound to. */
interface SealedRow {
  readonly name: 'viewing_keys' | 'webhooks' | 'withdrawals'
  readonly row: bigint
  readonly sealed: Uint8Array
}

/** A deleted account leaves rows without a secret. */
const SECRETS = `SELECT 'viewing_keys' AS name, id AS row, sealed FROM viewing_keys WHERE length(sealed) > 0
  UNION ALL SELECT 'webhooks', account_id, secret FROM webhooks
  UNION ALL SELECT 'withdrawals', invoice_id, payout_to FROM withdrawals WHERE length(payout_to) > 0`

const COLUMNS = { viewing_keys: 'sealed', webhooks: 'secret', withdrawals: 'payout_to' } as const

/** The operator's encryption keys and their rotation. */
export class EncryptionKeys {
  /** The keys of the next process that starts, the newest first. */
  present: readonly Uint8Array[]
  readonly #world: World
  readonly #draw: Draw
  /** Whether every secret was sealed again since the last change, so that the old keys can be removed. */
  #resealed = false
  /** Changes with each restore and each new key. */
  #generation = 0

  constructor(world: World) {
    this.#world = world
    this.#draw = new Draw(world.nextSeed(), 'encryption keys')
    this.present = [this.#draw.bytes(32)]
    world.encryptionKeys = () => this.present
  }

  /** A backup or a standby took over whose secrets are sealed with these keys. */
  restored(keys: readonly Uint8Array[]): void {
    this.present = [...new Set([...this.present, ...keys])]
    this.#resealed = false
    this.#generation += 1
  }

  get actions(): readonly Action[] {
    const world = this.#world
    return [
      action('add an encryption key', 1, () => {
        if (this.present.length > 1) return undefined
        this.present = [this.#draw.bytes(32), ...this.present]
        this.#resealed = false
        this.#generation += 1
        world.restartAll()
        return 'the operator restarts all processes with a new encryption key before the old one'
      }),
      action('reseal the secrets', 2, draw => {
        if (this.present.length < 2) return undefined
        world.client('reseal the secrets', () => this.#reseal(draw))
        return 'the operator seals every secret again with the newest key'
      }),
      action('remove the old encryption keys', 2, () => {
        if (this.present.length < 2 || !this.#resealed) return undefined
        this.present = this.present.slice(0, 1)
        return 'the operator removes the old encryption keys'
      }),
    ]
  }

  async #reseal(draw: Draw): Promise<void> {
    const generation = this.#generation
    const newest = this.present.slice(0, 1)
    const count = await request(this.#world, draw, (_, { infrastructure: { store, vault } }) =>
      createSecrets({ store, vault }).reseal(),
    )
    if (count === undefined || generation !== this.#generation) return
    this.check(newest, 'after a rotation every secret is sealed with the new key')
    this.#resealed = true
  }

  /** Every secret opens with these keys. */
  check(keys: readonly Uint8Array[], rule: Rule): void {
    const vault = createVault(keys, { bytes: () => new Uint8Array(), uuid: () => '' })
    for (const { name, row, sealed } of this.#world.database.committed<SealedRow>(SECRETS)) {
      try {
        vault.open(sealed, { table: name, column: COLUMNS[name], row: Number(row) })
      } catch (error) {
        this.#world.fail(rule, `${name} ${row}: ${error}`)
      }
    }
  }
}
