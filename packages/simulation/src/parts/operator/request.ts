import type { Container, Services } from '@zatgate/server/container'
import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import { isExpectedFailure } from '../sale/shop.ts'

/**
 * Sends one request to a random process.
 * @returns undefined when no process runs, or when the request fails as a client must expect
 */
export async function request<T>(
  world: World,
  draw: Draw,
  work: (services: Services, container: Container) => Promise<T>,
): Promise<T | undefined> {
  if (world.running.length === 0) return undefined
  try {
    return await draw.pick(world.running).call(work)
  } catch (error) {
    if (!isExpectedFailure(error)) throw error
    return undefined
  }
}
