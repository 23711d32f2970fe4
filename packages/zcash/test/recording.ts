import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const FOLDER = new URL('../../../../shared/real/', import.meta.url)

/** For `skip` of a test that needs the recorded chain. */
export const recordingMissing = existsSync(FOLDER) ? false : 'the recorded chain is not at ../shared/real'

/** The folder's files by their names, such as `node.mjs`. */
export function recordedFile(name: string): URL {
  return new URL(name, FOLDER)
}

/** Hashes and txids in display byte order, raw bytes as hex. */
export interface RecordedBlock {
  readonly height: number
  readonly hash: string
  readonly raw: string
  readonly txids: readonly string[]
  /** Empty at height 0; a pool that never had a note is missing. */
  readonly trees: Readonly<Partial<Record<'sapling' | 'orchard' | 'ironwood', { readonly size: number }>>>
  readonly time: number
}

export interface RecordedTransaction {
  readonly txid: string
  readonly raw: string
  /** Height of the newest block when it entered the mempool. */
  readonly after_height: number
  readonly note: string
  readonly reorganised_at?: number
}

export interface RecordedPayment {
  readonly txid: string
  /** Decimal. */
  readonly diversifier_index: string
  readonly address: string
  readonly value_zat: number
  readonly memo?: string | null
  readonly note: string
  /** Null: still in the mempool at the end. */
  readonly height: number | null
  readonly pool: 'orchard' | 'ironwood'
  readonly coinbase?: boolean
}

export interface Recording {
  readonly activation_heights: Readonly<Record<string, number>>
  readonly merchant_ufvk: string
  readonly payments: readonly RecordedPayment[]
  readonly transactions: readonly RecordedTransaction[]
  /** The best chain from height 0 on. */
  readonly blocks: readonly RecordedBlock[]
  /** The blocks that were replaced, from the first height at which the two branches differ. */
  readonly branch_a: readonly RecordedBlock[]
  /** `CompactBlock` messages in base64 by height, as lightwalletd serves the best chain. */
  readonly compact: Readonly<Record<string, string>>
}

/** A regtest of zebrad with what a wallet paid on it; its README describes each field. */
export function readRecording(): Recording {
  return JSON.parse(gunzipSync(readFileSync(recordedFile('chain.json.gz'))).toString('utf8'))
}
