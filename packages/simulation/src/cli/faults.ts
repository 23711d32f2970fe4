import { readCatalogue } from '../run/catalogue.ts'
import { openDatabases } from '../run/databases.ts'
import { print } from './output.ts'

/** Lists every fault with the action that injects it. */
export async function listFaults(): Promise<void> {
  const { faults } = readCatalogue(await openDatabases())
  const width = Math.max(...faults.map(({ name }) => name.length))
  for (const { part, name, fault } of faults) print(`${part.padEnd(12)} ${name.padEnd(width)}  ${fault}`)
}
