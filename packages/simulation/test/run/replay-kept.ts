/** A process that replays the saved plans of its arguments, and prints the finding of each as JSON. */
import { openDatabases } from '../../src/run/databases.ts'
import { run } from '../../src/run/run.ts'
import { readPlan } from '../../src/run/saved-plan.ts'

const databases = await openDatabases()
const findings: [file: string, finding: string | null][] = []
for (const file of process.argv.slice(2)) {
  const { finding } = await run(databases, readPlan(file))
  findings.push([file, finding?.message ?? null])
}
process.stdout.write(JSON.stringify(findings))
