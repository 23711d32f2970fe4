import type { ModelWorld } from './model-world.ts'

/** A look, the clock's part, and both again, as the workers do them all the time. */
export async function work(simulation: ModelWorld): Promise<void> {
  for (const process of simulation.processes) {
    await process.look()
    await process.payments.closeDue(1_000)
  }
}

/** Until all is seen as it is now: what one look claims, the next but some seconds confirms. */
export async function settle(simulation: ModelWorld): Promise<void> {
  await work(simulation)
  for (let i = 0; i < 2; i++) {
    simulation.clock.advance(3)
    await work(simulation)
  }
}
