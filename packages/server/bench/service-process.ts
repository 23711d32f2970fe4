/** Runs the service in a separate process, which nothing has warmed up and whose memory is its own. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { systemClock } from '../src/adapters/system/clock.ts'
import { releaseMemoryAtRest } from '../src/adapters/system/memory-at-rest.ts'
import { type Env, loadConfig } from '../src/config/settings.ts'
import { type Service, startService } from '../src/main.ts'

export interface Usage {
  readonly rssMb: number
  readonly heapMb: number
  /** Since the start of the process. */
  readonly cpuMs: number
}

export interface ServiceProcess {
  /** The address of its API; empty without the role `api`. */
  readonly url: string
  usage(): Promise<Usage>
  /** Stops the service in order, then ends the process. */
  stop(): Promise<void>
}

/** As the launcher starts it. */
const TYPES = new URL('../../../bin/types.mjs', import.meta.url).href

type Question = { readonly start: Env } | 'usage' | 'stop'

/** @param log where its log goes; `null`: it is formatted and dropped */
export async function startServiceProcess(env: Env, log: 'inherit' | null = 'inherit'): Promise<ServiceProcess> {
  const child = fork(import.meta.filename, {
    execArgv: ['--import', TYPES],
    stdio: ['ignore', 'inherit', log ?? 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit')
  const failed = exited.then(() => Promise.reject(new Error('the service has exited')))
  failed.catch(() => {})
  const ask = async (question: Question): Promise<unknown> => {
    child.send(question)
    const [answer] = await Promise.race([once(child, 'message'), failed])
    return answer
  }
  const url = (await ask({ start: env })) as string
  return {
    url,
    usage: async () => (await ask('usage')) as Usage,
    async stop() {
      child.send('stop')
      await exited
    },
  }
}

function answerQuestions(): void {
  let service: Service | undefined
  process.on('message', async (question: Question) => {
    if (question === 'stop') {
      await service?.close()
      process.exit()
    }
    if (question === 'usage') return void process.send?.(usage())
    service = await startService(loadConfig(question.start))
    releaseMemoryAtRest({ clock: systemClock })
    process.send?.(service.url)
  })
}

function usage(): Usage {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const mb = (bytes: number) => Math.round(bytes / 1024 / 1024)
  return { rssMb: mb(rss), heapMb: mb(heapUsed), cpuMs: (user + system) / 1_000 }
}

if (process.send) answerQuestions()
