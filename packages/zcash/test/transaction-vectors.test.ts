import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hexToBytes } from '@noble/hashes/utils.js'
import { parseTransaction, VERSION_GROUPS } from '../src/transaction.ts'
import { readTransaction } from '../src/transaction-parse.ts'
import { transactionDigest } from '../src/txid.ts'
import { readVectors, vectorRows, vectorsMissing } from './vectors.ts'

interface V6Vector {
  readonly scenario: string
  readonly tx: string
  readonly txid: string
}

function v6Vectors(): V6Vector[] {
  return JSON.parse(readVectors('ironwood_v6_tx_hash.json')) as V6Vector[]
}

test('the official v5 transactions have their txids (zip_0244)', { skip: vectorsMissing }, () => {
  for (const [tx, txid] of vectorRows('zip_0244.json')) {
    assert.deepEqual(parseTransaction(hexToBytes(tx as string)).txid, hexToBytes(txid as string))
  }
})

test('the official v6 transactions have their txids (ironwood_v6_tx_hash)', { skip: vectorsMissing }, () => {
  for (const { scenario, tx, txid } of v6Vectors()) {
    // The vectors carry ffffffff for a version group, which only the layer below parseTransaction leaves unjudged.
    const fields = readTransaction(hexToBytes(tx), 6)
    assert.deepEqual(transactionDigest(fields), hexToBytes(txid), scenario)
  }
})

test('the official v6 transactions parse once they carry the real version group', { skip: vectorsMissing }, () => {
  for (const { scenario, tx } of v6Vectors()) {
    const bytes = hexToBytes(tx)
    assert.throws(() => parseTransaction(bytes), { name: 'ZcashError', code: 'unsupported_version' }, scenario)
    new DataView(bytes.buffer).setUint32(4, VERSION_GROUPS[6], true)
    const fields = readTransaction(bytes, 6)
    const parsed = parseTransaction(bytes)
    assert.deepEqual(parsed.txid, transactionDigest(fields), scenario)
    assert.equal(parsed.orchard.length, fields.orchard?.actions.length ?? 0, scenario)
    assert.equal(parsed.ironwood.length, fields.ironwood?.actions.length ?? 0, scenario)
  }
})

test('the v6 of the withdrawn ZIP 233 draft is refused, not misread', { skip: vectorsMissing }, () => {
  for (const [tx] of vectorRows('zip_0233.json')) {
    assert.throws(() => parseTransaction(hexToBytes(tx as string)), { name: 'ZcashError', code: 'unsupported_version' })
  }
})
