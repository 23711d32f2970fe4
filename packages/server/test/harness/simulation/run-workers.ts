import type { ChainSimulation } from './simulation.ts'

/** Runs one sync and one expiry pass in every process. */
export async function runWorkers(simulation: ChainSimulation): Promise<void> {
  for (const process of simulation.processes) {
    await process.sync()
    await process.invoiceExpiry.expireDue(1_000)
  }
}

/** Lets time pass, with lists so close together that absences from them add up. */
export async function wait(simulation: ChainSimulation, secs: number): Promise<void> {
  for (let left = secs; left > 0; left -= 20) {
    simulation.clock.advance(Math.min(20, left))
    await runWorkers(simulation)
  }
}

/** Runs the workers until chain and mempool are synced up to now: later syncs have to confirm the first. */
export async function syncFully(simulation: ChainSimulation): Promise<void> {
  await runWorkers(simulation)
  for (const secs of [3, 3, 5]) {
    simulation.clock.advance(secs)
    await runWorkers(simulation)
  }
}
