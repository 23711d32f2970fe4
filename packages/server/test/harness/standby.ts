import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Store } from '../../src/ports/store.ts'
import { findPostgres, startPostgres, urlOf } from './postgres.ts'

/** A store whose database can be replaced under the services that use it. */
export interface SwitchableStore {
  readonly store: Store
  /** Replaces the database: a promoted standby, or a restored dump. */
  switchTo(store: Store): void
}

export function switchableStore(primary: Store): SwitchableStore {
  let current = primary
  return {
    store: new Proxy({} as Store, { get: (_, name: keyof Store) => current[name] }),
    switchTo(store) {
      current = store
    },
  }
}

/** PostgreSQL with an asynchronous standby, behind an address that forwards to the present primary. */
export interface ReplicatedDatabase {
  /** The URL of an empty database, for processes that go on through the fail-over. */
  readonly url: string
  /** Waits for the standby, then cuts it off: what is committed from now on is lost. */
  cutOff(): Promise<void>
  /** Stops the primary, leads connections to the read-only standby, and promotes it. */
  failOver(whileReadOnly?: () => Promise<void>): Promise<void>
  /** Ends all connections and leads new ones to the read-only standby. */
  leadToStandby(): void
  /** Leads new connections to the primary again. Open ones stay on the standby. */
  leadBack(): void
}

const SOCKET = '.s.PGSQL.5432'

/** Starts both servers. They end after the test. */
export async function startReplicatedDatabase(t: TestContext): Promise<ReplicatedDatabase> {
  const primary = await startPostgres(findPostgres() as string)
  let primaryRuns = true
  const stopPrimary = async () => {
    if (primaryRuns) await primary.stop()
    primaryRuns = false
  }
  t.after(stopPrimary)
  const database = new URL(await primary.freshDatabase()).pathname.slice(1)
  const standby = await primary.startStandby({ streaming: true })
  t.after(() => standby.stop())
  const forwarder = await startForwarder(t, join(primary.folder, SOCKET))
  return {
    url: urlOf(forwarder.folder, database),
    cutOff: () => standby.cutOff(),
    async failOver(whileReadOnly = async () => {}) {
      await stopPrimary()
      forwarder.leadTo(join(standby.folder, SOCKET))
      await whileReadOnly()
      await standby.promote()
    },
    leadToStandby: () => forwarder.leadTo(join(standby.folder, SOCKET)),
    leadBack: () => forwarder.leadTo(join(primary.folder, SOCKET), { keepsOpen: true }),
  }
}

/** Listens on a socket in a new folder and forwards each connection to the present target. */
async function startForwarder(
  t: TestContext,
  first: string,
): Promise<{ readonly folder: string; leadTo(path: string, options?: { keepsOpen: boolean }): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-forwarder-'))
  let target = first
  const open = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(target)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>(done => server.listen(join(folder, SOCKET), done))
  t.after(async () => {
    for (const socket of open) socket.destroy()
    await new Promise(done => server.close(done))
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    folder,
    leadTo(path, { keepsOpen } = { keepsOpen: false }) {
      target = path
      if (keepsOpen) return
      for (const socket of open) socket.destroy()
    },
  }
}
