import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ShieldedPool } from '../../src/shielded-pool.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'oracle')
/** Outside the checkout, so that clones share the program of the same sources. */
const TARGET = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'zatgate', `oracle-${hashOfSources()}`)
const PROGRAM = join(TARGET, 'release', 'zatgate-oracle')
/** `rust-version` in Cargo.toml. */
const MIN_CARGO = [1, 88] as const
const BUILD_MS = 900_000
const RUN_MS = 600_000
const MAX_OUTPUT_BYTES = 2 ** 29

/** Keys, addresses and compact actions, and what the orchard crate decrypts. Bytes are hex, integers above 32 bits decimal. */
export interface OracleCases {
  /** The command that repeats these cases. */
  readonly command: string
  readonly keys: readonly {
    /** 96 bytes: the raw full viewing key */
    readonly fvk: string
    /** 64 bytes: dk ‖ ivk of the external scope */
    readonly incoming: string
    /** External addresses. */
    readonly addresses: readonly { readonly index: string; readonly receiver: string }[]
  }[]
  readonly actions: readonly {
    /** `paid` for a note to a listed key, otherwise the reason why no listed key decrypts the action. */
    readonly kind: string
    readonly pool: ShieldedPool
    readonly nullifier: string
    readonly cmx: string
    readonly ephemeralKey: string
    readonly ciphertext: string
  }[]
  /** Every pair of a key and an action that decrypts, sorted by action, then by key. */
  readonly matches: readonly {
    readonly keyIndex: number
    readonly actionIndex: number
    readonly value: string
    readonly receiver: string
    /** Null if the receiver is not an address of the key. */
    readonly diversifierIndex: string | null
    readonly rseed: string
  }[]
}

/** Rates of the orchard crate on one thread. */
export interface OracleRates {
  /** The field arithmetic: `portable`, `x86-64` or `aarch64`. */
  readonly backend: string
  readonly batchPairsPerSecond: number
  readonly singlePairsPerSecond: number
  readonly addressesPerSecond: number
  /** The same from a full viewing key, which derives the incoming one each time. */
  readonly fullAddressesPerSecond: number
}

/** The official orchard crate as a program. Failed calls throw with its error message. */
export interface Oracle {
  /** @param seed 64 bits, as 1 to 16 hexadecimal digits */
  cases(seed: string, keys: number, actions: number): OracleCases
  /** @param seconds the bound of each of the three measurements */
  time(keys: number, actions: number, seconds: number): OracleRates
}

type Build =
  | { readonly oracle: Oracle; readonly missing: false }
  | { readonly oracle: undefined; readonly missing: string }

/**
 * Compiles the oracle, which takes one to two minutes the first time on a machine, and downloads its crates. `missing` is for the
 * `skip` option of tests: false, or why this machine cannot compile it.
 * @throws in CI, when cargo is installed but the build fails
 */
export function buildOracle(): Build {
  if (existsSync(PROGRAM)) return { oracle: { cases, time }, missing: false }
  if (!hasCargo()) return { oracle: undefined, missing: `cargo ${MIN_CARGO.join('.')} or later is not installed` }
  const args = ['build', '--release', '--locked', '--target-dir', TARGET]
  const { status, stderr, error } = spawnSync('cargo', args, { cwd: FOLDER, encoding: 'utf8', timeout: BUILD_MS })
  if (status === 0) return { oracle: { cases, time }, missing: false }
  if (process.env.CI === 'true') throw new Error(`packages/zcash/oracle does not build: ${error?.message ?? stderr}`)
  const reason = error?.message ?? /^error.*$/m.exec(stderr)?.[0] ?? 'cargo failed'
  return { oracle: undefined, missing: `packages/zcash/oracle does not build: ${reason}` }
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const file of ['Cargo.toml', 'Cargo.lock', ...globSync('src/**/*.rs', { cwd: FOLDER }).sort()])
    hash.update(readFileSync(join(FOLDER, file)))
  return hash.digest('hex').slice(0, 16)
}

function hasCargo(): boolean {
  const { stdout } = spawnSync('cargo', ['--version'], { cwd: FOLDER, encoding: 'utf8' })
  const version = /^cargo (\d+)\.(\d+)/.exec(stdout ?? '')
  if (version === null) return false
  const [major, minor] = [Number(version[1]), Number(version[2])]
  return major > MIN_CARGO[0] || (major === MIN_CARGO[0] && minor >= MIN_CARGO[1])
}

function cases(seed: string, keys: number, actions: number): OracleCases {
  const args = ['cases', '--seed', `0x${seed}`, '--keys', `${keys}`, '--actions', `${actions}`]
  return { ...(run(args) as Omit<OracleCases, 'command'>), command: `zatgate-oracle ${args.join(' ')}` }
}

function time(keys: number, actions: number, seconds: number): OracleRates {
  return run(['time', '--keys', `${keys}`, '--actions', `${actions}`, '--seconds', `${seconds}`]) as OracleRates
}

function run(args: readonly string[]): unknown {
  const options = { encoding: 'utf8', timeout: RUN_MS, maxBuffer: MAX_OUTPUT_BYTES } as const
  const { status, stdout, stderr, error } = spawnSync(PROGRAM, args, options)
  if (status !== 0) throw new Error(`zatgate-oracle ${args.join(' ')} failed: ${error?.message ?? stderr}`)
  return JSON.parse(stdout)
}
