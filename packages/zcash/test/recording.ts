import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const FOLDER = new URL('../../../../shared/real/', import.meta.url)

/** For the `skip` option of tests that need the recorded chain: false, or the reason to skip. */
export const recordingMissing = existsSync(FOLDER) ? false : 'the recorded chain is not at ../shared/real'

/** The URL of a file in the folder of the recorded chain, such as `node.mjs`. */
export function recordedFile(name: string): URL {
  return new URL(name, FOLDER)
}

/** Hashes and txids in display byte order, raw bytes as hex. */
export interface RecordedBlock {
  readonly height: number
  readonly hash: string
  readonly raw: string
  readonly txids: readonly string[]
  /** Empty at height 0. A pool that has no note yet is absent. */
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
  /** A decimal number. */
  readonly diversifier_index: string
  readonly address: string
  readonly value_zat: number
  readonly memo?: string | null
  readonly note: string
  /** Null if it is still in the mempool at the end. */
  readonly height: number | null
  readonly pool: 'orchard' | 'ironwood'
  readonly coinbase?: boolean
}

export interface Recording {
  readonly activation_heights: Readonly<Record<string, number>>
  readonly merchant_ufvk: string
  readonly payments: readonly RecordedPayment[]
  readonly transactions: readonly RecordedTransaction[]
  /** The best chain from height 0. */
  readonly blocks: readonly RecordedBlock[]
  /** The blocks removed by the reorganisation, from the first height at which the two branches differ. */
  readonly branch_a: readonly RecordedBlock[]
  /** `CompactBlock` messages in base64 by height, as lightwalletd serves the best chain. */
  readonly compact: Readonly<Record<string, string>>
}

/** Loads the recorded regtest chain of zebrad with the payments of a wallet. Its README describes each field. */
export function loadRecording(): Recording {
  return JSON.parse(gunzipSync(readFileSync(recordedFile('chain.json.gz'))).toString('utf8'))
}
