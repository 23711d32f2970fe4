import type { ChainSimulation } from './simulation.ts'

/** Runs one sync and one expiry pass in every process. */
export async function runWorkers(simulation: ChainSimulation): Promise<void> {
  for (const process of simulation.processes) {
    await process.sync()
    await process.invoiceExpiry.expireDue(1_000)
  }
}

/** Runs the workers until chain and mempool are synced up to now: a later sync has to confirm the first. */
export async function syncFully(simulation: ChainSimulation): Promise<void> {
  await runWorkers(simulation)
  for (let i = 0; i < 2; i++) {
    simulation.clock.advance(3)
    await runWorkers(simulation)
  }
}
