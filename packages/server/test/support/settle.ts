import type { ModelWorld } from './model-world.ts'

/** A look, the clock's part, and both again, as the workers do them all the time. */
export async function work(world: ModelWorld): Promise<void> {
  for (const process of world.processes) {
    await process.look()
    await process.payments.closeDue(1_000)
  }
}

/** Until all is seen as it is now: what one look claims, the next but some seconds confirms. */
export async function settle(world: ModelWorld): Promise<void> {
  await work(world)
  for (let i = 0; i < 2; i++) {
    world.clock.advance(3)
    await work(world)
  }
}
