/** A process that replays the kept seeds, and prints the finding of each as JSON. */
import { openDatabases } from '../../src/run/databases.ts'
import { run } from '../../src/run/run.ts'
import { readKeptSeeds } from '../../src/run/saved-plan.ts'

const databases = await openDatabases()
const findings: [name: string, finding: string | null][] = []
for (const seed of readKeptSeeds()) {
  const { finding } = await run(databases, seed)
  findings.push([seed.name, finding?.message ?? null])
}
process.stdout.write(JSON.stringify(findings))
