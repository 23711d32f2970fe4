import type { Services } from '@zatgate/server/container'
import { AppError } from '@zatgate/server/domain/error'
import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure } from '../sale/shop.ts'

/** An API key that its owner has received. */
export interface Key {
  readonly email: string
  readonly key: string
  readonly publicId: string
  state: 'active' | 'revoking' | 'revoked'
}

const MAX_ACTIVE_KEYS = 100

/** Merchants that create, use and revoke further API keys. */
export class ApiKeyOwners {
  #keys: Key[] = []
  readonly #world: World

  constructor(world: World) {
    this.#world = world
    // A backup may lack any key.
    world.onRestore(() => {
      this.#keys = []
    })
  }

  async create(draw: Draw, email: string): Promise<void> {
    const created = await this.#call(draw, async ({ accounts, apiKeys }) =>
      apiKeys.create(await accounts.findByEmail(email), `key ${draw.int(1, 99)}`),
    )
    if (created === null) return
    const { key, apiKey } = created
    this.#keys.push({ email, key, publicId: apiKey.publicId, state: 'active' })
  }

  /** Creates as many keys as an account may have, the last ones at the same time as some too many. */
  async createUpToLimit(draw: Draw, email: string): Promise<void> {
    const createAtOnce = (count: number) => Promise.all(Array.from({ length: count }, () => this.create(draw, email)))
    const last = draw.int(2, 6)
    // The merchant has had one key from the start.
    for (let left = MAX_ACTIVE_KEYS - 1 - last; left > 0; left -= 20) await createAtOnce(Math.min(left, 20))
    this.#world.storeFailures.late = { table: 'api_keys', count: draw.int(1, 2), ms: 1_000 }
    await createAtOnce(2 * last)
  }

  /** A key, mostly a recent one. */
  pick(draw: Draw): Key | undefined {
    return draw.chance(0.5) ? this.#keys.at(-1) : this.#keys[draw.int(0, this.#keys.length - 1)]
  }

  async use(draw: Draw, key: Key): Promise<void> {
    const before = key.state
    const found = await this.#call(draw, async ({ apiKeys }) => ({
      account: (await apiKeys.authenticate(key.key))?.account ?? null,
    }))
    if (!found || !this.#keys.includes(key)) return
    if (found.account === null && key.state === 'active')
      this.#world.fail('an API key works until it is revoked', `a key of ${key.email}`)
    if (found.account !== null && before === 'revoked')
      this.#world.fail('a revoked API key works nowhere', `a key of ${key.email}`)
    if (found.account && found.account.email !== key.email)
      this.#world.fail('an API key belongs to its account', `a key of ${key.email}`)
  }

  async revoke(draw: Draw, key: Key): Promise<void> {
    if (key.state === 'active') key.state = 'revoking'
    const answer = await this.#call(draw, async ({ accounts, apiKeys }) => {
      await apiKeys.revoke(await accounts.findByEmail(key.email), key.publicId)
      return true
    })
    if (answer) key.state = 'revoked'
  }

  /** Sends one request to a random process. Null without a result. */
  async #call<T>(draw: Draw, work: (services: Services) => Promise<T>): Promise<T | null> {
    const { running } = this.#world
    if (running.length === 0) return null
    try {
      return await draw.pick(running).call(work)
    } catch (error) {
      if (!isExpectedFailure(error)) throw error
      if (error instanceof AppError && error.kind === 'not_found')
        this.#world.fail('an answered request is committed', `${error.message}`)
      return null
    }
  }
}
