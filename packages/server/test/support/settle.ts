import type { ModelWorld } from './model-world.ts'

/** Runs one sync and one expiry pass in every process. */
export async function work(simulation: ModelWorld): Promise<void> {
  for (const process of simulation.processes) {
    await process.look()
    await process.payments.closeDue(1_000)
  }
}

/** Runs the workers until chain and mempool are synced up to now: a later sync has to confirm the first. */
export async function settle(simulation: ModelWorld): Promise<void> {
  await work(simulation)
  for (let i = 0; i < 2; i++) {
    simulation.clock.advance(3)
    await work(simulation)
  }
}
