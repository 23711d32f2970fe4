import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync } from 'node:fs'
import { appendFile, chown, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { POSTGRES } from '../../src/store/dialect.ts'
import { openStore } from '../../src/store/open.ts'
import { kept, schemaName } from './kept.ts'
import { until } from './until.ts'

export interface TestPostgres {
  /** The folder of the server's socket. */
  readonly folder: string
  /** Creates a database and returns its URL. It is empty, or a copy of one without open connections. */
  freshDatabase(copyOf?: string): Promise<string>
  /** Creates a database with the tables of this version and no rows, on a copy of `keptCluster`, and returns its URL. */
  migratedDatabase(): Promise<string>
  /** Starts a standby from a base backup of this server. Without streaming, later changes are lost with the server. */
  startStandby(options?: { readonly streaming?: boolean }): Promise<TestStandby>
  stop(): Promise<void>
}

export interface TestStandby {
  /** The folder of the server's socket. */
  readonly folder: string
  /** Waits until a streaming standby has everything that the primary has committed, and ends the streaming. */
  cutOff(): Promise<void>
  /** Makes it the primary. Resolves when it accepts writes. */
  promote(): Promise<void>
  stop(): Promise<void>
}

/** The database that a kept cluster has. */
const MIGRATED = 'migrated'

export const NO_POSTGRES =
  'no PostgreSQL server is installed (ZATGATE_TEST_POSTGRES_BIN names the folder of its programs)'

/** The folder of the server's programs; null when none is installed. @throws when none is installed on CI */
export function findPostgres(): string | null {
  const folders = [
    process.env.ZATGATE_TEST_POSTGRES_BIN ?? '',
    ...globSync('/usr/lib/postgresql/*/bin').sort().reverse(),
  ]
  const found = folders.find(folder => folder !== '' && existsSync(join(folder, 'initdb'))) ?? null
  if (found === null && process.env.CI === 'true') throw new Error(NO_POSTGRES)
  return found
}

/** Settings of `startPostgres`. */
export interface PostgresOptions {
  /** Also listen at this port of this machine, with this certificate. */
  readonly tls?: { readonly port: number; readonly cert: string; readonly key: string }
  /** Whether commits are flushed to the disk, for benchmarks; tests are faster without it. */
  readonly durable?: boolean
  /** The folder of files to begin with. Such a server has the system identifier of others, and ends without a checkpoint. */
  readonly copyOf?: string
}

/** Starts a server on a socket in a temporary folder. It always ends with this process. */
export async function startPostgres(
  bin: string,
  { durable = false, copyOf, tls }: PostgresOptions = {},
): Promise<TestPostgres> {
  const { folder, data } = await makeFolder()
  if (copyOf === undefined) createCluster(bin, data)
  else copyFolder(copyOf, data)
  if (tls) {
    const user = unprivilegedUser()
    for (const [name, text] of [
      ['server.crt', tls.cert],
      ['server.key', tls.key],
    ] as const) {
      await writeFile(join(data, name), text, { mode: 0o600 })
      if (user) await chown(join(data, name), user.uid, user.gid)
    }
    await appendFile(join(data, 'postgresql.conf'), `ssl = on\nlisten_addresses = 'localhost'\nport = ${tls.port}\n`)
  }
  const server = await startServer(
    bin,
    folder,
    data,
    durable,
    tls ? {} : { listen_addresses: '' },
    copyOf ? 'QUIT' : 'INT',
  )

  const admin = new pg.Client(urlOf(folder, 'postgres', tls?.port))
  await admin.connect()
  let databases = 0
  async function create(template: string): Promise<string> {
    const name = `test_${++databases}`
    await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`)
    return urlOf(folder, name, tls?.port)
  }
  return {
    folder,
    freshDatabase: copyOf => create(copyOf === undefined ? 'template1' : databaseOf(copyOf)),
    migratedDatabase: () => create(MIGRATED),
    startStandby: ({ streaming = false } = {}) => startStandby(bin, folder, streaming),
    async stop() {
      await admin.end()
      await server.stop()
    },
  }
}

const databaseOf = (url: string) => new URL(url).pathname.slice(1)

/** The folder of the files of a server that has the tables of this version. Creating one takes ten times as long as a copy. */
export function keptCluster(bin: string): Promise<string> {
  const version = runProgram(bin, 'initdb', ['--version']).trim().replaceAll(' ', '-')
  return kept(`postgres/${version}-${schemaName(POSTGRES)}`, async path => {
    const { folder, data } = await makeFolder()
    // Less to copy.
    createCluster(bin, data, ['--wal-segsize=1'])
    const server = await startServer(bin, folder, data, false)
    await queryValue(folder, `CREATE DATABASE ${MIGRATED}`)
    await (await openStore(urlOf(folder, MIGRATED))).close()
    await server.end()
    copyFolder(data, path)
    removeFolder(folder)
  })
}

function createCluster(bin: string, data: string, more: readonly string[] = []): void {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync', ...more]
  runProgram(bin, 'initdb', ['--pgdata', data, ...options])
}

/** With owners and modes. */
function copyFolder(from: string, to: string): void {
  execFileSync('cp', ['-a', from, to])
}

/** In less time than Node needs for thousands of files. */
function removeFolder(folder: string): void {
  execFileSync('rm', ['-rf', folder])
}

/** The URL of a database of the server whose socket is in the folder. */
export function urlOf(folder: string, database: string, port = 5432): string {
  return `postgres://postgres@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`
}

async function startStandby(bin: string, primaryFolder: string, streaming: boolean): Promise<TestStandby> {
  const { folder, data } = await makeFolder()
  const options = ['--checkpoint=fast', '--no-sync', '--username=postgres', '--host', primaryFolder]
  runProgram(bin, 'pg_basebackup', ['--pgdata', data, ...options])
  await writeFile(join(data, 'standby.signal'), '')
  const primary = `primary_conninfo = 'host=${primaryFolder} user=postgres'\n`
  if (streaming) await appendFile(join(data, 'postgresql.auto.conf'), primary)
  const server = await startServer(bin, folder, data, false)
  return {
    folder,
    async cutOff() {
      const committed = await queryValue(primaryFolder, 'SELECT pg_current_wal_flush_lsn()')
      await until('the standby', async () =>
        queryValue(folder, `SELECT coalesce(pg_last_wal_replay_lsn() >= '${committed}', false)`),
      )
      await queryValue(folder, "ALTER SYSTEM SET primary_conninfo = ''")
      await queryValue(folder, 'SELECT pg_reload_conf()')
      await until(
        'the end of the streaming',
        async () => !(await queryValue(folder, 'SELECT 1 FROM pg_stat_wal_receiver')),
      )
    },
    promote: async () => void (await queryValue(folder, 'SELECT pg_promote()')),
    stop: server.stop,
  }
}

/** The first value of a query on the server whose socket is in the folder. */
async function queryValue(folder: string, query: string): Promise<unknown> {
  const admin = new pg.Client({ connectionString: urlOf(folder, 'postgres') })
  await admin.connect()
  try {
    const { rows } = await admin.query({ text: query, rowMode: 'array' })
    return rows[0]?.[0]
  } finally {
    await admin.end()
  }
}

async function makeFolder(): Promise<{ folder: string; data: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-postgres-'))
  const user = unprivilegedUser()
  if (user) await chown(folder, user.uid, user.gid)
  return { folder, data: join(folder, 'data') }
}

/** Runs a program of PostgreSQL to its end as the server's user. @returns its output */
export function runProgram(bin: string, name: string, args: readonly string[], input = ''): string {
  const options = { ...unprivilegedUser(), encoding: 'utf8', timeout: 60_000, input } as const
  const { status, stdout, stderr } = spawnSync(join(bin, name), args, options)
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`)
  return stdout
}

/** Starts a server with its data and socket in the folder, which stopping it removes. */
async function startServer(
  bin: string,
  folder: string,
  data: string,
  durable: boolean,
  more: Readonly<Record<string, string>> = { listen_addresses: '' },
  signal: 'INT' | 'QUIT' = 'INT',
): Promise<{ end(): Promise<void>; stop(): Promise<void> }> {
  const settings = {
    ...more,
    unix_socket_directories: folder,
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    max_connections: '60',
    deadlock_timeout: '100ms',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // The server stops when the shell's standard input closes. This process holds the other end.
  const script = `"$@" & server=$!; cat > /dev/null; kill -${signal} $server; wait $server`
  const shell = spawn('sh', ['-c', script, 'sh', join(bin, 'postgres'), '-D', data, ...options], {
    ...unprivilegedUser(),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const ended = once(shell, 'exit')
  await ready(shell.stderr)
  async function end(): Promise<void> {
    shell.stdin.end()
    await ended
  }
  return {
    end,
    async stop() {
      await end()
      removeFolder(folder)
    },
  }
}

let postgresUser: { uid: number; gid: number } | undefined

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  postgresUser ??= { uid: id('-u'), gid: id('-g') }
  return postgresUser
}

async function ready(log: NodeJS.ReadableStream): Promise<void> {
  const lines: string[] = []
  for await (const line of createInterface({ input: log })) {
    if (/ready to accept (read-only )?connections/.test(line)) {
      log.resume()
      return
    }
    lines.push(line)
  }
  throw new Error(`the server did not start:\n${lines.join('\n')}`)
}
