/** The service in a process of its own, which says what it holds once it has come to rest. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Env } from '../src/config/settings.ts'
import { loadConfig } from '../src/config/settings.ts'
import { startService } from '../src/main.ts'

export interface Memory {
  readonly rssMb: number
  readonly heapMb: number
}

const REST_MS = 10_000

/** @param mine Finds a block, so that the service has opened one with all its keys before it rests. */
export async function measureMemory(env: Env, mine: () => void): Promise<Memory> {
  const child = fork(import.meta.filename)
  const exited = once(child, 'exit')
  const said = async () => {
    const gone = exited.then(() => Promise.reject(new Error('the service is gone')))
    const [message] = await Promise.race([once(child, 'message'), gone])
    return message
  }
  child.send(env)
  await said()
  mine()
  const memory = (await said()) as Memory
  child.kill()
  await exited
  return memory
}

async function run(env: Env): Promise<void> {
  const { store } = await startService(loadConfig(env))
  const height = async () => (await store.read(rows => rows.chain.tip()))?.height ?? 0
  while ((await height()) === 0) await sleep(100)
  const begun = await height()
  process.send?.('watching')
  while ((await height()) === begun) await sleep(100)
  await sleep(REST_MS)
  const { rss, heapUsed } = process.memoryUsage()
  const mb = (bytes: number) => Math.round(bytes / 1024 / 1024)
  process.send?.({ rssMb: mb(rss), heapMb: mb(heapUsed) } satisfies Memory)
}

if (process.send) process.once('message', env => void run(env as Env))
