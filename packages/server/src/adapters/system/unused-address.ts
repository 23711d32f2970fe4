import { constants } from 'node:fs'
import { lstat, readdir, readFile, statfs, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../ports/clock.ts'
import type { KeyedHash } from '../../ports/keyed-hash.ts'
import type { Log } from '../../ports/log.ts'
import type { Random } from '../../ports/random.ts'
import type { UnusedAddresses, UnusedAddressKeeper } from '../../ports/unused-address.ts'
import type { Vault } from '../../ports/vault.ts'

interface UnusedAddressFilesOptions {
  readonly vault: Vault
  readonly keyedHash: KeyedHash
  readonly random: Random
  readonly clock: Clock
  readonly log: Log
  /** Only a process with the same URL takes the addresses. */
  readonly databaseUrl: string
  /** Must be in memory: on a disk, a restored snapshot would bring back addresses that were used since. */
  readonly folder?: string
}

const FOLDER = '/dev/shm'
const PREFIX = 'zatgate-addresses-'
/** File system types in memory (statfs, Linux): tmpfs and ramfs. */
const IN_MEMORY: readonly number[] = [0x01021994, 0x858458f6]
/** Files of one database: one for each process that has stopped and not started again. */
const MAX_FILES = 16
/** Older files are removed: their database may not exist any more. */
const MAX_AGE_MS = 86_400_000
const NAME_BYTES = 16
const RANDOM_BYTES = 8
const CONTEXT = { table: 'unused_addresses', column: 'all', row: 0 } as const

/** [fingerprint in hex, [index, address][]][] */
type Content = [string, [string, string][]][]

/**
 * Keeps unused addresses in files in memory, sealed. A file is removed before its content is used, so it is used once
 * even if the process then crashes. Where the folder is not in memory (macOS, Windows), nothing is kept.
 */
export function createUnusedAddressFiles(options: UnusedAddressFilesOptions): UnusedAddressKeeper {
  const { vault, keyedHash, random, clock, log, databaseUrl, folder = FOLDER } = options
  const prefixes = keyedHash
    .allHashes('unused addresses', databaseUrl)
    .map(hash => `${PREFIX}${Buffer.from(hash).toString('hex', 0, NAME_BYTES)}-`)

  /** The files of this user that a zatgate process has written. */
  async function ownFiles(): Promise<string[]> {
    const names = await readdir(folder)
    const own = await Promise.all(names.filter(name => name.startsWith(PREFIX)).map(name => whenOwn(name)))
    return own.filter(name => name !== null)
  }

  /** Null for a file of another user. One that is too old is removed. */
  async function whenOwn(name: string): Promise<string | null> {
    try {
      const { uid, mtimeMs } = await lstat(join(folder, name))
      if (uid !== process.getuid?.()) return null
      if (clock.nowMs() - mtimeMs <= MAX_AGE_MS) return name
      await unlink(join(folder, name))
    } catch (error) {
      if (!isMissing(error)) throw error
    }
    return null
  }

  const isOfDatabase = (name: string) => prefixes.some(prefix => name.startsWith(prefix))

  async function takeFile(name: string): Promise<UnusedAddresses[]> {
    const path = join(folder, name)
    try {
      const sealed = await readFile(path, { flag: constants.O_RDONLY | constants.O_NOFOLLOW })
      await unlink(path)
      return decode(vault.open(sealed, CONTEXT))
    } catch (error) {
      // Missing: another process has taken it.
      if (!isMissing(error)) log.warn({ err: error }, 'addresses that an earlier process kept cannot be read')
      return []
    }
  }

  return {
    async keep(unused) {
      if (unused.length === 0 || !(await isInMemory(folder))) return
      if ((await ownFiles()).filter(isOfDatabase).length >= MAX_FILES) return
      const path = join(folder, `${prefixes[0]}${Buffer.from(random.bytes(RANDOM_BYTES)).toString('hex')}`)
      await writeFile(path, vault.seal(encode(unused), CONTEXT), { flag: 'wx', mode: 0o600 })
    },

    async take() {
      if (!(await isInMemory(folder))) return []
      const taken = await Promise.all((await ownFiles()).filter(isOfDatabase).map(takeFile))
      return taken.flat()
    },
  }
}

async function isInMemory(folder: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  try {
    return IN_MEMORY.includes((await statfs(folder)).type)
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

function encode(unused: readonly UnusedAddresses[]): Uint8Array {
  const content: Content = unused.map(({ fingerprint, addresses }) => [
    Buffer.from(fingerprint).toString('hex'),
    addresses.map(({ index, address }) => [String(index), address]),
  ])
  return Buffer.from(JSON.stringify(content))
}

function decode(bytes: Uint8Array): UnusedAddresses[] {
  const content = JSON.parse(Buffer.from(bytes).toString()) as Content
  return content.map(([fingerprint, addresses]) => ({
    fingerprint: Buffer.from(fingerprint, 'hex'),
    addresses: addresses.map(([index, address]) => ({ index: BigInt(index), address })),
  }))
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
