import { createServerChain } from '@zatgate/server/adapters/lightwalletd/chain'
import { startWorkers, WORKER_NAMES, type WorkerName } from '@zatgate/server/background'
import { type Config, loadConfig } from '@zatgate/server/config/settings'
import { type Container, openContainer, type Services } from '@zatgate/server/container'
import { AppError } from '@zatgate/server/domain/error'
import type { Overrides } from '@zatgate/server/infrastructure'
import type { Log } from '@zatgate/server/ports/log'
import { NO_METRICS } from '@zatgate/server/ports/metrics'
import type { Random } from '@zatgate/server/ports/random'
import type { Store } from '@zatgate/server/ports/store'
import { Registry } from 'prom-client'
import { SimulatedClock } from '../runtime/clock.ts'
import { Draw } from '../runtime/draw.ts'
import { type Owner, runAs } from '../runtime/scheduler.ts'
import { createNoteScanner } from '../world/chain/note-scanner.ts'
import { connectReceivers } from '../world/receivers.ts'
import type { World } from '../world/world.ts'

/** The process of a request has died. The client does not learn whether the request had an effect. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

/** The key that seals the secrets of a run, unless the operator changes it. */
export const ENCRYPTION_KEY = Buffer.alloc(32, 1)

const PUBLIC_URL = 'https://pay.example.org'

const BASE_CONFIG = loadConfig({
  NETWORK: 'test',
  LIGHTWALLETD_URL: 'http://127.0.0.1:1',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'zatgate <no-reply@example.org>',
  ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64'),
  LOG_LEVEL: 'silent',
})

/** One process of the service with all roles: the real container and workers on the ports of the world. */
export class ServiceProcess implements Owner {
  readonly name: string
  readonly clock: SimulatedClock
  alive = true
  /** Unix milliseconds. */
  readonly startedMs: number
  #stops = false
  #container: Container | null = null
  #store: Store | null = null
  readonly #world: World
  readonly #deaths = new Set<() => void>()
  readonly #stack = new AsyncDisposableStack()

  /** @param clockErrorMs the error of the machine's clock, which a restart keeps */
  constructor(world: World, name: string, clockErrorMs: number) {
    this.#world = world
    this.name = name
    this.startedMs = world.scheduler.nowMs
    this.clock = new SimulatedClock(world.scheduler)
    this.clock.errorMs = clockErrorMs
  }

  /** The services; null until the start has ended, and from the beginning of the stop on. */
  get services(): Services | null {
    return this.container?.services ?? null
  }

  get container(): Container | null {
    return this.alive && !this.#stops ? this.#container : null
  }

  /** Starts the service. Rejects when it cannot start. */
  start({ workers = neededWorkers(this.#world) }: { readonly workers?: readonly WorkerName[] } = {}): Promise<void> {
    return runAs(this, () => this.#start(workers))
  }

  async #start(workers: readonly WorkerName[]): Promise<void> {
    const world = this.#world
    const { setup } = world
    const store = await world.database.openStore(this, world.databaseIdentity)
    this.#store = store
    const config = this.#config()
    const log = this.#log()
    const chain = createServerChain({
      servers: world.servers.slice(0, world.usedServers).map(server => server.connect()),
      params: world.params,
      clock: this.clock,
      log,
    })
    const overrides: Overrides = {
      clock: this.clock,
      random: this.#random(),
      log,
      registry: new Registry(),
      metrics: NO_METRICS,
      params: world.params,
      store,
      chain,
      mailer: { send: () => world.scheduler.yield(), close: () => {} },
      noteScanner: createNoteScanner(world.network, world.scheduler),
      webhookHttp: connectReceivers(world.receivers, this),
      ...Object.assign({}, ...world.parts.map(part => part.ports?.(this) ?? {})),
    }
    const container = await openContainer({ ...config, confirmations: setup.confirmations }, overrides, this.#stack)
    const { addresses } = container.services
    await addresses.start()
    startWorkers(container, PUBLIC_URL, this.#stack, workers)
    this.#container = container
    world.story.tell(this.name, 'has started')
  }

  #config(): Config {
    return Object.assign(
      {},
      BASE_CONFIG,
      { network: this.#world.setup.network },
      ...this.#world.parts.map(part => part.config ?? {}),
    )
  }

  /** Ends without a trace: what was not committed is lost. */
  crash(): void {
    if (!this.alive) return
    this.alive = false
    this.#world.database.crash(this)
    this.#world.scheduler.removeDead()
    for (const died of this.#deaths) died()
  }

  /**
   * Stops in order, then ends.
   * @throws ConnectionLost when the process dies before
   */
  async stop(): Promise<void> {
    this.#stops = true
    await this.#unlessItDies(async () => {
      await this.#stack.disposeAsync()
      await this.#store?.close()
    })
    this.crash()
  }

  /**
   * Calls the services as a client does over the network.
   * @throws ConnectionLost when the process is not running, or dies before the response
   */
  async call<T>(request: (services: Services, container: Container) => Promise<T>): Promise<T> {
    const { container } = this
    if (!container) throw new ConnectionLost('the process does not run')
    return this.#unlessItDies(async () => {
      await this.#world.scheduler.pause()
      return request(container.services, container)
    })
  }

  /** Nothing of a dead process goes on, so its promises never settle. This one is rejected. */
  #unlessItDies<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const died = () => reject(new ConnectionLost('the process has died'))
    this.#deaths.add(died)
    runAs(this, work)
      .finally(() => this.#deaths.delete(died))
      .then(resolve, reject)
    return promise
  }

  #random(): Random {
    const draw = new Draw(this.#world.nextSeed(), this.name)
    return {
      bytes: count => draw.bytes(count),
      uuid: () => {
        const hex = draw.hex(16)
        const variant = '89ab'[draw.int(0, 3)]!
        return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`
      },
    }
  }

  #log(): Log {
    const hear = (details: object, message: string) => {
      for (const part of this.#world.parts) part.onLog?.(details, message)
    }
    const tell = (level: string) => (details: object, message: string) => {
      hear(details, message)
      const error = 'err' in details && details.err instanceof Error ? ` (${causeOf(details.err)})` : ''
      this.#world.story.tell(this.name, `${level}: ${message}${error}`)
    }
    return { debug: hear, info: tell('info'), warn: tell('warn'), error: tell('error') }
  }
}

/** Chain sync, expiry, and the workers that the parts of the world need. The others would only find nothing to do. */
function neededWorkers({ parts }: World): WorkerName[] {
  const needed = new Set<WorkerName>(['chain', 'expiry', ...parts.flatMap(({ workers = [] }) => workers)])
  return WORKER_NAMES.filter(name => needed.has(name))
}

function causeOf(error: Error): string {
  const { cause } = error
  const deeper = cause instanceof Error ? `: ${cause.message}` : ''
  return `${error instanceof AppError ? error.code : error.message}${deeper}`
}
