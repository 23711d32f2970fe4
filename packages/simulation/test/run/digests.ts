/** A process that runs the seeds of its arguments, in this order, and prints the digest of each run as JSON. */
import { openDatabases } from '../../src/run/databases.ts'
import { planOf, run } from '../../src/run/run.ts'

const databases = await openDatabases()
const digests: [seed: number, digest: string][] = []
for (const seed of process.argv.slice(2).map(Number)) digests.push([seed, (await run(databases, planOf(seed))).digest])
process.stdout.write(JSON.stringify(digests))
