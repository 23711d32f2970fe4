import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '@zatgate/server/ports/store'
import { DEFAULT_LIMITS, type StoreLimits } from '@zatgate/server/store/limits'
import { MIGRATIONS, type Migration } from '@zatgate/server/store/migrations/index'
import type { PgSource } from '@zatgate/server/store/postgres/driver'
import { migratePostgres } from '@zatgate/server/store/postgres/migrate'
import { openPostgresStore } from '@zatgate/server/store/postgres/store'
import { type Owner, runAs } from '../../runtime/scheduler.ts'
import type { StoreHooks } from '../hooks.ts'
import type { SimulatedDatabase } from '../sqlite.ts'
import { copyTables, createReader, prepareRestore, type TableCopy } from '../tables.ts'
import { Client } from './client.ts'
import { Engine } from './engine.ts'
import { ClientPool } from './pool.ts'
import type { Notification } from './transaction.ts'

/** A simulated PostgreSQL server with one database, for several simulated processes. */
export interface PostgresServer {
  hooks: StoreHooks
  /** The identity of the database. Another one simulates a restored copy. */
  identity: string
  /** The connections of a process. */
  source(process: Owner, limits?: StoreLimits): PgSource
  /** Ends the connections of a process that has died: transactions are rolled back, statements never return. */
  crash(process: Owner): void
  /** Loses the connections of a process: its statements fail, and it may have missed notifications. */
  disconnect(process: Owner): void
  /** Ends all connections and restores the content from after the migrations. */
  reset(): void
  /**
   * Copies the content, or replaces it by that of a copy. No process may be running.
   * @param idsAhead how far each sequence is ahead of the copy, as after a replay of the log
   */
  copyContent(): ContentCopy
  restoreContent(copy: ContentCopy, idsAhead?: () => number): void
  /** Reads the committed state. Integers are bigint. */
  committed<T>(sql: string, ...values: (string | number | bigint)[]): T[]
  close(): void
}

/** The content of the database and the last drawn ids by table. */
export interface ContentCopy {
  readonly tables: readonly TableCopy[]
  readonly sequences: ReadonlyMap<string, bigint>
}

interface Listener {
  readonly process: Owner
  readonly channel: string
  readonly onPayload: (payload: string) => void
  readonly onGap: () => void
}

const NO_HOOKS: StoreHooks = { before: () => undefined, fail: () => {}, after: () => undefined, onCommit: () => {} }

/** Opens the server on a SQLite file, and migrates it. */
export async function openPostgresServer(
  file: string,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<PostgresServer> {
  const pools = new Map<Owner, Set<ClientPool>>()
  const listeners = new Set<Listener>()
  const engine = new Engine(file, {
    onCommit: (process, useCases, tables) => server.hooks.onCommit(process, useCases, tables),
    onNotifications,
    refuses: (table, reference) => server.hooks.refuses?.(table, reference) ?? false,
  })

  function onNotifications(notifications: readonly Notification[]): void {
    for (const listener of listeners) {
      for (const { payload } of notifications.filter(({ channel }) => channel === listener.channel)) {
        deliver(listener, () => listener.onPayload(payload))
      }
    }
  }

  /** Calls the listener later, unless it has ended. */
  function deliver(listener: Listener, call: () => void): void {
    runAs(listener.process, () => setImmediate(() => listeners.has(listener) && call()))
  }

  function poolsOf(process: Owner): Set<ClientPool> {
    let found = pools.get(process)
    if (!found) {
      found = new Set()
      pools.set(process, found)
    }
    return found
  }

  function source(process: Owner, limits = DEFAULT_LIMITS): PgSource {
    const pool = new ClientPool(onRelease => new Client(process, engine, () => server.hooks, onRelease), limits)
    poolsOf(process).add(pool)
    return {
      connect: () => pool.connect(),
      async listen(channel, onPayload, onGap) {
        const listener = { process, channel, onPayload, onGap }
        listeners.add(listener)
        return async () => {
          listeners.delete(listener)
        }
      },
      async close() {
        await pool.close()
        poolsOf(process).delete(pool)
      },
    }
  }

  function crash(process: Owner): void {
    for (const listener of listeners) if (listener.process === process) listeners.delete(listener)
    for (const pool of poolsOf(process)) pool.crash()
    pools.delete(process)
  }

  const server: PostgresServer = {
    hooks: NO_HOOKS,
    get identity() {
      return engine.identity
    },
    set identity(identity) {
      engine.identity = identity
    },
    source,
    crash,
    disconnect(process) {
      for (const pool of poolsOf(process)) pool.lose()
      for (const listener of listeners) if (listener.process === process) deliver(listener, () => listener.onGap())
    },
    reset() {
      for (const process of [...pools.keys()]) crash(process)
      empty()
      engine.resetSequences()
    },
    copyContent: () => ({ tables: copyTables(admin), sequences: engine.catalog.copySequences() }),
    restoreContent({ tables, sequences }, idsAhead = () => 0) {
      prepareRestore(admin, tables)()
      engine.resetSequences(new Map([...sequences].map(([name, last]) => [name, last + BigInt(idsAhead())])))
    },
    committed: (sql, ...values) => read(sql, ...values),
    close() {
      for (const process of [...pools.keys()]) crash(process)
      engine.close()
      admin.close()
    },
  }

  const admin = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  admin.exec('PRAGMA synchronous = OFF')
  const installer: Owner = { name: 'migrations', alive: true }
  await migratePostgres(source(installer), migrations)
  crash(installer)
  const empty = prepareRestore(admin, copyTables(admin))
  const read = createReader(admin)
  return server
}

/** Opens the service's PostgreSQL store on the simulated server. */
export function openStoreOn(
  server: PostgresServer,
  process: Owner,
  onError: (error: unknown) => void,
  limits: Partial<StoreLimits> = {},
): Promise<Store> {
  const all = { ...DEFAULT_LIMITS, ...limits }
  return openPostgresStore(server.source(process, all), MIGRATIONS, all, onError)
}

/** Opens the simulated PostgreSQL, whose processes write at the same time. */
export async function openSimulatedPostgres(folder: string): Promise<SimulatedDatabase> {
  const server = await openPostgresServer(join(folder, 'postgres.db'))
  const { crash, committed, copyContent, close } = server
  const restoreContent = (copy: unknown, idsAhead?: () => number) =>
    server.restoreContent(copy as ContentCopy, idsAhead)
  return {
    begin(hooks) {
      server.hooks = hooks
      server.reset()
    },
    async openStore(process, identity) {
      server.identity = identity
      // The errors that reach no caller are those of connections that the hooks have ended.
      return openStoreOn(server, process, () => {})
    },
    crash,
    committed,
    copyContent,
    restoreContent,
    failOver(processes, copy, identity, idsAhead) {
      for (const process of processes) server.disconnect(process)
      restoreContent(copy, idsAhead)
      server.identity = identity
    },
    close,
  }
}
