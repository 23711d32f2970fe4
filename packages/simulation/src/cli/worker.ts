/** A child process that runs the seeds it is sent, and answers with one outcome per seed. */
import { openDatabases } from '../run/databases.ts'
import { outcomeOf } from '../run/outcome.ts'
import { planOf, run } from '../run/run.ts'

const databases = await openDatabases()
process.on('message', async (seeds: readonly number[]) => {
  for (const seed of seeds) process.send!(outcomeOf(await run(databases, planOf(seed))))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
