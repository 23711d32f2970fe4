import type { World } from '../../world/world.ts'
import { openSecret, readWebhooks, type Target } from './ledger.ts'

/** A webhook as it is stored. */
export interface KnownWebhook extends Target {
  readonly sealed: Uint8Array
  /** Time of the world when it was set. */
  readonly setAtMs: number
  /** How often the world had been idle before. */
  readonly idles: number
}

/** The webhooks with their secrets, which are opened once. */
export class WebhookSecrets {
  readonly #world: World
  /** Secrets of each account since the last restore, oldest first. */
  readonly #secrets = new Map<bigint, string[]>()

  constructor(world: World) {
    this.#world = world
    world.onRestore(() => this.#secrets.clear())
  }

  count(accountId: bigint): number {
    return this.#secrets.get(accountId)?.length ?? 0
  }

  /** A merchant has received a secret that was made after it had `count` of them. */
  told(accountId: bigint, secret: string, count: number): void {
    const later = this.#secrets.get(accountId)?.slice(count) ?? []
    if (!later.includes(secret)) this.#world.fail('a merchant receives the secret that signs', `account ${accountId}`)
  }

  /** The present webhooks by account. @param before those of the previous commit */
  readWebhooks(before: ReadonlyMap<bigint, KnownWebhook>): Map<bigint, KnownWebhook> {
    const webhooks = new Map<bigint, KnownWebhook>()
    for (const { account_id: account, url, secret: sealed } of readWebhooks(this.#world)) {
      const earlier = before.get(account)
      const isSealedAlike = earlier !== undefined && Buffer.compare(earlier.sealed, sealed) === 0
      if (earlier && isSealedAlike && earlier.url === url) {
        webhooks.set(account, earlier)
        continue
      }
      const secret = isSealedAlike ? earlier.secret : this.#learn(sealed, account)
      const { nowMs, idles } = this.#world.scheduler
      webhooks.set(account, { setAtMs: nowMs, idles, ...earlier, url, secret, sealed })
    }
    return webhooks
  }

  #learn(sealed: Uint8Array, account: bigint): string {
    const secret = openSecret(this.#world, sealed, account)
    this.#secrets.set(account, [...(this.#secrets.get(account) ?? []), secret])
    return secret
  }
}
