import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync } from 'node:fs'
import { chown, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'

export interface TestPostgres {
  /** The URL of a new database: empty, or a copy of one that nobody is connected to. */
  freshDatabase(copyOf?: string): Promise<string>
  stop(): Promise<void>
}

export const NO_POSTGRES =
  'no PostgreSQL server is installed (ZATGATE_TEST_POSTGRES_BIN names the folder of its programs)'

/** The folder of the server's programs. Null where there is none, which only an automatic build may not accept. */
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
 * A server of its own, on a socket in a temporary folder; it ends with this process, however that ends.
 * @param durable Whether commits reach the disk: for benchmarks; without it, tests are quicker.
 */
export async function startPostgres(bin: string, { durable = false } = {}): Promise<TestPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'zatgate-postgres-'))
  const user = unprivilegedUser()
  if (user) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const initdb = spawnSync(
    join(bin, 'initdb'),
    ['--pgdata', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
    { ...user, encoding: 'utf8', timeout: 60_000 },
  )
  if (initdb.status !== 0) throw new Error(`initdb failed: ${initdb.stderr}`)

  const settings = {
    listen_addresses: '',
    unix_socket_directories: folder,
    fsync: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    max_connections: '60',
    deadlock_timeout: '100ms',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  // The server lives as long as the shell's standard input: this process holds the other end.
  const script = '"$@" & server=$!; cat > /dev/null; kill -INT $server; wait $server'
  const shell = spawn('sh', ['-c', script, 'sh', join(bin, 'postgres'), '-D', data, ...options], {
    ...user,
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  const ended = once(shell, 'exit')
  await ready(shell.stderr)

  const url = (database: string) => `postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`
  const admin = new pg.Client(url('postgres'))
  await admin.connect()
  let databases = 0
  return {
    async freshDatabase(copyOf) {
      const name = `test_${++databases}`
      const template = copyOf === undefined ? '' : ` TEMPLATE ${new URL(copyOf).pathname.slice(1)}`
      await admin.query(`CREATE DATABASE ${name}${template}`)
      return url(name)
    },
    async stop() {
      await admin.end()
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
    if (line.includes('ready to accept connections')) {
      log.resume()
      return
    }
    lines.push(line)
  }
  throw new Error(`the server did not start:\n${lines.join('\n')}`)
}
