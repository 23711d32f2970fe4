import type { SeededRandom } from '@zatgate/sandbox/random'
import { type ServiceProcess, type Settings, startProcess } from '../service-process.ts'
import { type Span, SpanLog } from './spans.ts'
import type { SoakTime } from './time.ts'

const PRELOAD = new URL('./shifted-clock.ts', import.meta.url)
const TWO_HOURS_MS = 7_200_000
const SHIFTS_MS = [-TWO_HOURS_MS, 0, TWO_HOURS_MS] as const

/** One of the services on the database: a process that is killed and restarted with different clocks. */
export class SoakService {
  readonly #settings: Settings
  readonly #time: SoakTime
  readonly #alive: SpanLog[] = []
  #process: ServiceProcess | null = null

  constructor(settings: Settings, time: SoakTime) {
    this.#settings = settings
    this.#time = time
  }

  /** Null while it is not running. */
  get url(): string | null {
    return this.#process?.url ?? null
  }

  /** One span for each time it was running. */
  get aliveSpans(): Span[] {
    return this.#alive.flatMap(log => log.spans)
  }

  /** @param shiftMs how far its clock is ahead */
  async start(shiftMs: number): Promise<void> {
    this.#process = await startProcess({
      LOG_LEVEL: 'warn',
      ...this.#settings,
      NODE_OPTIONS: `--import=${PRELOAD.href}`,
      ZATGATE_TEST_CLOCK: this.#time.setting(shiftMs),
    })
    const log = new SpanLog()
    log.begin(this.#time.nowMs())
    this.#alive.push(log)
  }

  async kill(): Promise<void> {
    const killed = this.#process
    this.#process = null
    this.#alive.at(-1)?.end(this.#time.nowMs())
    await killed?.kill()
  }
}

/** Kills and restarts a random service at random times, `kills` times. */
export async function killRepeatedly(
  services: readonly SoakService[],
  kills: number,
  random: SeededRandom,
  { time, signal }: { readonly time: SoakTime; readonly signal: AbortSignal },
): Promise<void> {
  for (let kill = 0; kill < kills && !signal.aborted; kill++) {
    await time.sleep((200 + random.below(3_800)) * time.factor, signal)
    const service = services[random.below(services.length)]!
    await service.kill()
    if (signal.aborted) return
    await service.start(SHIFTS_MS[random.below(SHIFTS_MS.length)]!)
  }
}
