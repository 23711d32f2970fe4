import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import type { Random } from '../../../src/ports/random.ts'

/** The same sequence in every run. */
export function countingRandom(): Random {
  let drawn = 0
  const bytes = (count: number): Uint8Array => {
    drawn += 1
    const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, index) =>
      createHash('sha256').update(`example ${drawn} ${index}`).digest(),
    )
    return Buffer.concat(blocks).subarray(0, count)
  }
  const uuid = () => {
    const hex = Buffer.from(bytes(16)).toString('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
  }
  return { bytes, uuid }
}

/** Compares with a file of recorded examples. With ZATGATE_RECORD=1 it is written first. */
export function compareWithRecorded(file: string, examples: unknown): void {
  const url = new URL(`../../../src/http/openapi/${file}`, import.meta.url)
  if (process.env.ZATGATE_RECORD) writeFileSync(url, `${JSON.stringify(examples, null, 2)}\n`)
  assert.deepEqual(examples, JSON.parse(readFileSync(url, 'utf8')))
}
