import { requestScope } from '../../src/adapters/system/request-scope.ts'
import type { Config } from '../../src/config/settings.ts'
import type { Services } from '../../src/container.ts'
import type { Account } from '../../src/domain/account/account.ts'
import type { Plan } from '../../src/domain/account/plan.ts'
import type { Access } from '../../src/http/access.ts'
import { createHttpServer, type HttpSettings } from '../../src/http/server.ts'
import type { Infrastructure } from '../../src/infrastructure.ts'
import type { Store } from '../../src/ports/store.ts'
import { openTestContainer, scopeOf, type TestContainerOptions } from './container.ts'
import { ManualClock } from './manual-clock.ts'
import { testViewingKey } from './viewing-key.ts'

/** Options of startTestApi. `databaseUrl` of another test API simulates a second process on its database. */
export interface TestApiOptions extends TestContainerOptions {
  readonly settings?: Partial<HttpSettings>
  readonly plans?: readonly Plan[]
  /** Whether plans and withdrawals are enabled. Default: true. */
  readonly billing?: boolean
  readonly clock?: ManualClock
  /** Default: unknown. */
  readonly maxOpenFiles?: number
}

/** The HTTP server with a real store and a manual clock, but without a chain: nothing is ever paid. */
export interface TestApi extends Services {
  readonly url: string
  readonly routes: ReadonlyMap<string, Access>
  readonly databaseUrl: string
  readonly clock: ManualClock
  readonly store: Store
  readonly infrastructure: Infrastructure
  /** Creates an account. Default: on the unlimited plan and with a viewing key. */
  merchant(options?: { plan?: string; viewingKey?: string | null }): Promise<Merchant>
  close(): Promise<void>
}

/** An account with its credentials. */
export interface Merchant {
  readonly account: Account
  readonly apiKey: string
  readonly sessionToken: string
}

/** Starts the HTTP server on a random port. */
export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const { settings, plans, billing = true, clock = new ManualClock(), maxOpenFiles = null, ...container } = options
  await using stack = new AsyncDisposableStack()
  const config: Partial<Config> = {
    billingViewingKey: billing ? testViewingKey(9) : null,
    ...(plans && { plans }),
    ...settings,
  }
  const { infrastructure, services } = await openTestContainer(scopeOf(stack), { ...container, clock, config })
  const { log, random, registry, store } = infrastructure
  const server = await createHttpServer({
    rates: infrastructure.rates,
    settings: infrastructure.config,
    ...services,
    store,
    clock,
    random,
    log,
    requestScope,
    tracer: infrastructure.tracer,
    registry,
    maxOpenFiles,
  })
  stack.adopt(server, adopted => adopted.close())
  const url = await server.listen()
  const running = stack.move()
  const { accounts, apiKeys, sessions, viewingKeys } = services
  let merchants = 0

  return {
    url,
    routes: server.routes,
    databaseUrl: infrastructure.config.databaseUrl,
    clock,
    store,
    infrastructure,
    ...services,

    async merchant({ plan = 'Business', viewingKey = testViewingKey() } = {}) {
      merchants += 1
      const email = `merchant${merchants}-${random.uuid()}@example.org`
      let account = await accounts.findOrCreate(email)
      account = await accounts.setPlan(email, plan, null)
      if (viewingKey !== null) account = (await viewingKeys.set(account, viewingKey)).account
      const { key } = await apiKeys.create(account, 'test')
      const { token } = await sessions.create(account, 'test')
      return { account, apiKey: key, sessionToken: token }
    },

    close: () => running.disposeAsync(),
  }
}
