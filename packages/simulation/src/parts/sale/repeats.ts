import { AppError } from '@zatgate/server/domain/error'
import type { Rule } from '../../rules.ts'
import type { Action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import { request } from '../operator/request.ts'
import { type AnsweredRequest, type Shop, short } from './shop.ts'

/** How long an idempotency key returns its invoice. */
const RETENTION_MS = 86_400_000

/** Merchants that repeat old requests, by mistake with other amounts too. */
export function repeatActions(world: World, shop: Shop): readonly Action[] {
  /** Sends the request again. Undefined when the process or its database has failed. */
  function repeat(draw: Draw, earlier: AnsweredRequest, amountZat: bigint): Promise<string | null | undefined> {
    const { merchant, idempotencyKey, expiresInSecs } = earlier
    return request(world, draw, async ({ apiKeys, invoices }) => {
      const account = await apiKeys.authenticate(merchant.apiKey)
      if (!account) return null
      try {
        return (await invoices.create(account, { amountZat, expiresInSecs, idempotencyKey })).publicId
      } catch (error) {
        if (error instanceof AppError && error.code === 'idempotency_key_reused') return error.code
        throw error
      }
    })
  }

  /** Whether the service must remember the request. */
  function isRemembered({ atMs }: AnsweredRequest): boolean {
    const { minMs, maxMs } = world.clockErrors
    return world.scheduler.nowMs - atMs + (maxMs - minMs) < RETENTION_MS
  }

  function action(name: string, rule: Rule, changes: bigint, expected: (earlier: AnsweredRequest) => string): Action {
    return {
      name,
      weight: 1,
      run(draw) {
        if (shop.answered.length === 0) return undefined
        const earlier = draw.pick(shop.answered)
        world.client(name, async () => {
          const response = await repeat(draw, earlier, earlier.amountZat + changes)
          if (response === undefined || !shop.answered.includes(earlier) || !isRemembered(earlier)) return
          if (response !== expected(earlier)) world.fail(rule, `${earlier.idempotencyKey}: ${response}`)
        })
        return `${earlier.merchant.name}: ${name}, for ${short(earlier.publicId)}`
      },
    }
  }

  return [
    action('repeat an old request', 'a repeated request returns its invoice', 0n, ({ publicId }) => publicId),
    action(
      'repeat an old request with another amount',
      'an idempotency key belongs to one request',
      1n,
      () => 'idempotency_key_reused',
    ),
  ]
}
