import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { appendFile, chown, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { until } from './until.ts'

export interface TestPostgres {
  /** The folder of the server's socket. */
  readonly folder: string
  /** Creates a database and returns its URL. It is empty, or a copy of one without open connections. */
  freshDatabase(copyOf?: string): Promise<string>
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

/** Beside the other caches, which an installation removes. */
const CLUSTERS = join(import.meta.dirname, '../../../../node_modules/.cache/postgres')

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

/**
 * Starts a server on a socket in a temporary folder. It always ends with this process.
 * @param tls also listen at this port of this machine, with this certificate
 * @param durable whether commits are flushed to the disk, for benchmarks; tests are faster without it
 * @param copied whether its files may be copied, and so its system identifier is that of other servers
 */
export async function startPostgres(
  bin: string,
  {
    durable = false,
    copied = false,
    tls,
  }: { durable?: boolean; copied?: boolean; tls?: { port: number; cert: string; key: string } } = {},
): Promise<TestPostgres> {
  const { folder, data } = await makeFolder()
  if (copied) copyCluster(bin, data)
  else createCluster(bin, data)
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
  const server = await startServer(bin, folder, data, durable, tls ? {} : { listen_addresses: '' })

  const admin = new pg.Client(urlOf(folder, 'postgres', tls?.port))
  await admin.connect()
  let databases = 0
  return {
    folder,
    async freshDatabase(copyOf) {
      const name = `test_${++databases}`
      const template = copyOf === undefined ? '' : ` TEMPLATE ${new URL(copyOf).pathname.slice(1)}`
      await admin.query(`CREATE DATABASE ${name}${template}`)
      return urlOf(folder, name, tls?.port)
    },
    startStandby: ({ streaming = false } = {}) => startStandby(bin, folder, streaming),
    async stop() {
      await admin.end()
      await server.stop()
    },
  }
}

function createCluster(bin: string, data: string): void {
  const options = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  runProgram(bin, 'initdb', ['--pgdata', data, ...options])
}

/** Copies a cluster that is created once for each version of the programs: creating one takes ten times as long. */
function copyCluster(bin: string, data: string): void {
  const kept = join(CLUSTERS, runProgram(bin, 'initdb', ['--version']).trim().replaceAll(' ', '-'))
  if (existsSync(kept)) {
    copyFolder(kept, data)
    return
  }
  createCluster(bin, data)
  const copy = `${kept}.${process.pid}`
  copyFolder(data, copy)
  try {
    renameSync(copy, kept)
  } catch {
    // Another process was faster.
    rmSync(copy, { recursive: true })
  }
}

/** With owners and modes. */
function copyFolder(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  execFileSync('cp', ['-a', from, to])
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

/** Starts a server with its data and socket in the folder. Stopping it removes the folder. */
async function startServer(
  bin: string,
  folder: string,
  data: string,
  durable: boolean,
  more: Readonly<Record<string, string>> = { listen_addresses: '' },
): Promise<{ stop(): Promise<void> }> {
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
  const script = '"$@" & server=$!; cat > /dev/null; kill -INT $server; wait $server'
  const shell = spawn('sh', ['-c', script, 'sh', join(bin, 'postgres'), '-D', data, ...options], {
    ...unprivilegedUser(),
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const ended = once(shell, 'exit')
  await ready(shell.stderr)
  return {
    async stop() {
      shell.stdin.end()
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
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
