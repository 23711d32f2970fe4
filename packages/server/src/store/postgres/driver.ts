import type { Socket } from 'node:net'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import pg from 'pg'
import { AppError } from '../../domain/error.ts'
import type { StoreLimits } from '../limits.ts'
import { overloadedError } from '../limits.ts'
import { formatProcess, type ServiceProcess } from '../process.ts'
import { NonStreamingConnection } from '../transaction/connection.ts'
import { isTimeout, withTimeout } from '../transaction/timeout.ts'
import { ConnectError } from './error.ts'
import { listenOn } from './listener.ts'
import { connectionOptions, prepareSession } from './session.ts'

/** One connection, held by one use case. */
export interface PgClient {
  query(sql: string, values?: readonly unknown[]): Promise<{ rows: unknown[]; affected: number }>
  /** The server's number for the connection, by which another one cancels its statement. Absent where none can. */
  backendId?(): Promise<number>
  /** Returns the connection to its source, or discards it when `broken`. */
  release(broken: boolean): void
}

/** A source of connections: the pool of a server, or another implementation of PostgreSQL. */
export interface PgSource {
  connect(): Promise<PgClient>
  /** Listens to a channel until the returned function is called. `onGap`: notifications may have been missed. */
  listen(channel: string, onPayload: (payload: string) => void, onGap: () => void): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Kysely's view of a held connection. */
export class PgConnection extends NonStreamingConnection implements DatabaseConnection {
  readonly #client: PgClient

  constructor(client: PgClient) {
    super()
    this.#client = client
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affected } = await this.#client.query(query.sql, query.parameters)
    return { rows: rows as R[], numAffectedRows: BigInt(affected) }
  }
}

const IDLE_MS = 60_000

/**
 * @param onError Called when an idle connection is lost
 * @param process names the notification connection, by which other processes see this one
 */
export function createPgPool(
  url: string,
  limits: StoreLimits,
  onError: (error: unknown) => void,
  process?: ServiceProcess,
): PgSource {
  const config = {
    ...connectionOptions(url),
    application_name: 'zatgate',
    connectionTimeoutMillis: limits.lockTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  }
  const pool = new pg.Pool({
    ...config,
    max: limits.maxConnections,
    idleTimeoutMillis: IDLE_MS,
    types: { getTypeParser },
    onConnect: client => prepareInTime(client, limits),
    // Pipelines a read's first statement with its BEGIN. Missing from the published types.
    ...{ pipeline: true },
  })
  // When a connection is lost in use, the user's statement fails. Without a listener the event would end the process.
  pool.on('connect', client => client.on('error', () => {}))
  pool.on('error', error => {
    if (!pool.ending) onError(error)
  })

  return {
    async connect() {
      if (pool.waitingCount >= limits.maxWaiting) throw overloadedError()
      const client = await pool.connect().catch(error => {
        throw error instanceof AppError ? error : new ConnectError(error)
      })
      return {
        async query(text, values) {
          const name = values && statementName(text)
          const { rows, rowCount } = await client.query({
            text,
            ...(values && { values: [...values] }),
            ...(name && { name }),
          })
          return { rows, affected: rowCount ?? 0 }
        },
        // Asked of the server: a pooler in between reports its own number at the start of a connection.
        async backendId() {
          const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id')
          return rows[0]!.id
        },
        release: broken => client.release(broken),
      }
    },
    listen: (channel, onPayload, onGap) =>
      listenOn(() => new pg.Client({ ...config, query_timeout: limits.lockTimeoutMs }), channel, {
        ...(process && { name: formatProcess(process) }),
        onPayload,
        onGap,
        onError,
      }),
    close: () => pool.end(),
  }
}

/** @throws Error with a code, when the server does not respond in time */
async function prepareInTime(client: pg.ClientBase, limits: StoreLimits): Promise<void> {
  try {
    await withTimeout(limits.lockTimeoutMs, () => prepareSession(client, limits))
  } catch (error) {
    // The pool ends the client, and with a pipeline its end would wait for the statement. Missing from the published types.
    ;(client as { connection?: { stream: Socket } }).connection?.stream.destroy()
    throw isTimeout(error) ? Object.assign(new Error('the server does not respond'), { code: 'ETIMEDOUT' }) : error
  }
}

const INT8 = 20
const BYTEA = 17

function getTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === INT8) return BigInt
  if (oid === BYTEA) return text => new Uint8Array(Buffer.from(text.slice('\\x'.length), 'hex'))
  return pg.types.getTypeParser(oid, format as 'text')
}

/** Statements prepared once on each connection. Only multi-row statements of rare lengths exceed this number. */
const MAX_NAMES = 256
const names = new Map<string, string>()

function statementName(sql: string): string | undefined {
  const known = names.get(sql)
  if (known !== undefined || names.size >= MAX_NAMES || !runsAgain(sql)) return known
  const name = `zatgate_${names.size + 1}`
  names.set(sql, name)
  return name
}

/** A migration runs as many statements as there are names, each once. */
const ranOnce = new Set<string>()
const MAX_RAN_ONCE = 1_024

function runsAgain(sql: string): boolean {
  if (ranOnce.delete(sql)) return true
  if (ranOnce.size >= MAX_RAN_ONCE) ranOnce.clear()
  ranOnce.add(sql)
  return false
}
