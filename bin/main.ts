// The composition: the service's command, and the sandbox that `start` falls back to when no network is set.
import { run } from '@zatgate/server/cli/main'

// A reader that has seen enough (`| head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await run(process.argv.slice(2), {
  startSandbox: async options => (await import('@zatgate/sandbox/start')).start(options),
})
