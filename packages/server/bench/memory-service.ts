/** Runs the service in a child process, which reports its memory use once it is idle. */
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

const IDLE_MS = 10_000

/** @param mine Mines a block, so that the service has scanned one with all its keys before it is idle */
export async function measureMemory(env: Env, mine: () => void): Promise<Memory> {
  const child = fork(import.meta.filename)
  const exited = once(child, 'exit')
  const nextMessage = async () => {
    const failed = exited.then(() => Promise.reject(new Error('the service has exited')))
    const [message] = await Promise.race([once(child, 'message'), failed])
    return message
  }
  child.send(env)
  await nextMessage()
  mine()
  const memory = (await nextMessage()) as Memory
  child.kill()
  await exited
  return memory
}

async function run(env: Env): Promise<void> {
  const { store } = await startService(loadConfig(env))
  const height = async () => (await store.read(tx => tx.chain.tip()))?.height ?? 0
  while ((await height()) === 0) await sleep(100)
  const startHeight = await height()
  process.send?.('watching')
  while ((await height()) === startHeight) await sleep(100)
  await sleep(IDLE_MS)
  const { rss, heapUsed } = process.memoryUsage()
  const mb = (bytes: number) => Math.round(bytes / 1024 / 1024)
  process.send?.({ rssMb: mb(rss), heapMb: mb(heapUsed) } satisfies Memory)
}

if (process.send) process.once('message', env => void run(env as Env))
