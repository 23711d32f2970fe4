// Entry point: runs the service's commands, with the sandbox that `start` uses when NETWORK is not set.
import { run } from '@zatgate/server/cli/main'

// A reader that closes the pipe early (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await run(process.argv.slice(2), {
  tryOut: async print => (await import('@zatgate/sandbox/try')).tryOut(print),
  startSandbox: async options => (await import('@zatgate/sandbox/start')).start(options),
})
