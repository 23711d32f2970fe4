/** A child process that runs the ranges of seeds it is sent, and answers with one outcome per seed. */
import { openDatabases } from '../run/databases.ts'
import { outcomeOf } from '../run/outcome.ts'
import { planOf, run } from '../run/run.ts'
import type { Range } from './pool.ts'

const databases = await openDatabases()
process.on('message', async ({ first, count }: Range) => {
  for (let seed = first; seed < first + count; seed++) process.send!(outcomeOf(await run(databases, planOf(seed))))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
