import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTransaction, VERSION_GROUPS } from '../src/transaction.ts'
import { parseTransactionFields } from '../src/transaction-parse.ts'
import { txidDigest } from '../src/txid.ts'
import { bytes, hex, vectorRecords, vectorsMissing } from './vectors.ts'

test('the official v5 transactions have the official txids (zip_0244)', { skip: vectorsMissing }, () => {
  const rows = vectorRecords('zip_0244.json')
  assert.equal(rows.length, 10)
  for (const { tx, txid } of rows) assert.equal(hex(parseTransaction(bytes(tx)).txid), txid)
})

test('the official v6 transactions have the official txids (ironwood_v6_tx_hash)', { skip: vectorsMissing }, () => {
  const rows = vectorRecords('ironwood_v6_tx_hash.json')
  assert.equal(rows.length, 18)
  for (const { scenario, tx, txid } of rows) {
    // The version group of the vectors is ffffffff, which parseTransaction rejects, so this uses the layer below it.
    assert.equal(hex(txidDigest(parseTransactionFields(bytes(tx), 6))), txid, String(scenario))
  }
})

test('the official v6 transactions parse with the real version group', { skip: vectorsMissing }, () => {
  for (const { scenario, tx } of vectorRecords('ironwood_v6_tx_hash.json')) {
    const raw = bytes(tx)
    assert.throws(() => parseTransaction(raw), { name: 'ZcashError', code: 'unsupported_version' }, String(scenario))
    new DataView(raw.buffer).setUint32(4, VERSION_GROUPS[6], true)
    const fields = parseTransactionFields(raw, 6)
    const parsed = parseTransaction(raw)
    assert.deepEqual(parsed.txid, txidDigest(fields), String(scenario))
    assert.equal(parsed.orchard.length, fields.orchard?.actions.length ?? 0, String(scenario))
    assert.equal(parsed.ironwood.length, fields.ironwood?.actions.length ?? 0, String(scenario))
  }
})

test('v6 transactions of the withdrawn ZIP 233 draft are rejected as unsupported', { skip: vectorsMissing }, () => {
  for (const { tx } of vectorRecords('zip_0233.json')) {
    assert.throws(() => parseTransaction(bytes(tx)), { name: 'ZcashError', code: 'unsupported_version' })
  }
})
