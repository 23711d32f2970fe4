/** The command `npm run simulate`. It loads the service only when a run needs it. */
import { HELP, type Options, readOptions, UsageError } from './cli/options.ts'
import { print } from './cli/output.ts'

async function execute(options: Options): Promise<number> {
  switch (options.command) {
    case 'help':
      print(HELP)
      return 0
    case 'faults':
      await (await import('./cli/faults.ts')).listFaults()
      return 0
    case 'evidence':
      return (await import('./evidence/make.ts')).makeEvidence(options)
    case 'one':
      return (await import('./cli/one.ts')).simulateSeed(options.seed, options)
    case 'plan':
      return (await import('./cli/one.ts')).simulatePlan(options.file, options)
    case 'kept':
      return (await import('./cli/one.ts')).simulateKept(options.name, options)
    case 'many':
      return (await import('./cli/many.ts')).simulateMany(options)
  }
}

try {
  process.exitCode = await execute(readOptions(process.argv.slice(2)))
} catch (error) {
  const isUsage = error instanceof UsageError
  console.error(isUsage ? error.message : error)
  process.exitCode = isUsage ? 2 : 3
}
