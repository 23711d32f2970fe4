import type { Container, Services } from '@zatgate/server/container'
import type { Account } from '@zatgate/server/domain/account/account'
import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure } from '../sale/shop.ts'

/**
 * Sends one request to a random process.
 * @param among the processes. Default: all that run
 * @returns undefined when there is none, or when the request fails as a client must expect
 */
export async function request<T>(
  world: World,
  draw: Draw,
  work: (services: Services, container: Container) => Promise<T>,
  among = world.running,
): Promise<T | undefined> {
  if (among.length === 0) return undefined
  try {
    return await draw.pick(among).call(work)
  } catch (error) {
    if (!isExpectedFailure(error)) throw error
    return undefined
  }
}

/** As `request`, for the account with this email. */
export function requestAs<T>(
  world: World,
  draw: Draw,
  { email }: { readonly email: string },
  work: (services: Services, account: Account) => Promise<T>,
): Promise<T | undefined> {
  return request(world, draw, async services => work(services, await services.accounts.findByEmail(email)))
}
