/** Runs the service in a process of its own: gets the settings as a message, and sends one when it runs. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type Env, loadConfig } from '../src/config/settings.ts'
import { startService } from '../src/main.ts'

export async function startServiceProcess(env: Env): Promise<{ stop(): Promise<void> }> {
  const child = fork(import.meta.filename)
  const exited = once(child, 'exit')
  child.send(env)
  await Promise.race([once(child, 'message'), exited.then(() => Promise.reject(new Error('the service has exited')))])
  return {
    async stop() {
      child.kill()
      await exited
    },
  }
}

if (process.send)
  process.once('message', async env => {
    await startService(loadConfig(env as Env))
    process.send?.('running')
  })
