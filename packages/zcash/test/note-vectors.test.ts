import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { orchardReceiver } from '../src/address.ts'
import { createAction } from '../src/create-action.ts'
import { diversifyHash } from '../src/diversifier.ts'
import { decodeMemo, encodeMemo } from '../src/memo.ts'
import { type Action, toCompactAction, tryDecryptAction, tryDecryptCompactAction } from '../src/note.ts'
import { decrypt, noteEncryptionKey, outgoingCipherKey } from '../src/note-cipher.ts'
import { ephemeralSecretKey, extractedNoteCommitment } from '../src/note-secrets.ts'
import { decodePoint, encodePoint } from '../src/pallas.ts'
import { incomingViewingKeyFromBytes, parseViewingKey } from '../src/viewing-key.ts'
import { KEY_FIXTURES, NOTE_FIXTURES } from './fixtures.ts'
import { bytes, hex, integer, type VectorRecord, vectorRecords, vectorsMissing } from './vectors.ts'

function officialAction(row: VectorRecord): Action {
  return {
    cvNet: bytes(row.cv_net),
    nullifier: bytes(row.rho),
    rk: new Uint8Array(32),
    cmx: bytes(row.cmx),
    ephemeralKey: bytes(row.ephemeral_key),
    encCiphertext: bytes(row.c_enc),
    outCiphertext: bytes(row.c_out),
  }
}

test('official Orchard notes decrypt to their value, address and memo, from full and compact actions', {
  skip: vectorsMissing,
}, () => {
  for (const row of vectorRecords('orchard_note_encryption.json')) {
    const key = incomingViewingKeyFromBytes(bytes(row.incoming_viewing_key))
    const action = officialAction(row)
    const { note, memo } = tryDecryptAction(key, 'orchard', action)!
    assert.equal(note.value, integer(row.v))
    assert.equal(note.diversifierIndex, 0n)
    assert.equal(hex(note.receiver), `${row.default_d}${row.default_pk_d}`)
    assert.equal(hex(note.rseed), row.rseed)
    assert.equal(hex(note.rho), row.rho)
    assert.equal(hex(memo), row.memo)
    assert.deepEqual(tryDecryptCompactAction(key, 'orchard', toCompactAction(action)), note)
    assert.equal(tryDecryptAction(key, 'ironwood', action), undefined)
  }
})

test('createAction gives the official ciphertexts for the receiver and for the sender', {
  skip: vectorsMissing,
}, () => {
  for (const row of vectorRecords('orchard_note_encryption.json')) {
    const action = createAction({
      pool: 'orchard',
      receiver: concatBytes(bytes(row.default_d), bytes(row.default_pk_d)),
      value: integer(row.v),
      memo: bytes(row.memo),
      rho: bytes(row.rho),
      rseed: bytes(row.rseed),
      ovk: bytes(row.ovk),
      cvNet: bytes(row.cv_net),
      rk: new Uint8Array(32),
    })
    assert.deepEqual(action, officialAction(row))
  }
})

test('each step of the note encryption gives the official value', { skip: vectorsMissing }, () => {
  for (const row of vectorRecords('orchard_note_encryption.json')) {
    const { ivk } = incomingViewingKeyFromBytes(bytes(row.incoming_viewing_key))
    const esk = ephemeralSecretKey(bytes(row.rseed), bytes(row.rho))
    assert.equal(hex(numberToBytesLE(esk, 32)), row.esk)
    assert.equal(hex(encodePoint(diversifyHash(bytes(row.default_d)).multiplyUnsafe(esk))), row.ephemeral_key)
    const sharedSecret = encodePoint(decodePoint(bytes(row.ephemeral_key))!.multiplyUnsafe(ivk))
    assert.equal(hex(sharedSecret), row.shared_secret)
    const symmetricKey = noteEncryptionKey(sharedSecret, bytes(row.ephemeral_key))
    assert.equal(hex(symmetricKey), row.k_enc)
    assert.equal(hex(decrypt(symmetricKey, bytes(row.c_enc))!), row.p_enc)
    const ock = outgoingCipherKey(bytes(row.ovk), bytes(row.cv_net), bytes(row.cmx), bytes(row.ephemeral_key))
    assert.equal(hex(ock), row.ock)
    assert.equal(hex(decrypt(ock, bytes(row.c_out))!), row.op)
    assert.equal(bytesToNumberLE(bytes(row.op).subarray(32)), esk)
  }
})

test('note commitments of both pools equal the official ones', { skip: vectorsMissing }, () => {
  const rows = vectorRecords('orchard_keys_with_qr.json')
  assert.equal(rows.length, 10)
  for (const row of rows) {
    const fields = {
      gd: encodePoint(diversifyHash(bytes(row.default_d))),
      pkd: bytes(row.default_pk_d),
      value: integer(row.note_v),
      rho: bytes(row.note_rho),
      rseed: bytes(row.note_rseed),
    }
    assert.equal(hex(extractedNoteCommitment({ pool: 'orchard', ...fields })), row.note_cmx)
    assert.equal(hex(extractedNoteCommitment({ pool: 'ironwood', ...fields })), row.note_qr_cmx)
  }
})

test('the note fixtures encrypt to their actions, and the actions decrypt to the notes', () => {
  for (const fixture of NOTE_FIXTURES) {
    const { pool, value, index } = fixture
    const key = parseViewingKey(KEY_FIXTURES[fixture.key]!.uivk).orchard!
    const receiver = orchardReceiver(key, index)
    const [rho, rseed] = [bytes(fixture.rho), bytes(fixture.rseed)]
    const [cvNet, rk] = [bytes(fixture.cvNet), bytes(fixture.rk)]
    const ovk = bytes(KEY_FIXTURES[fixture.key]!.components.ovk)
    const action = createAction({ pool, receiver, value, memo: encodeMemo(fixture.memo), rho, rseed, ovk, cvNet, rk })
    assert.equal(hex(action.cmx), fixture.cmx)
    assert.equal(hex(action.ephemeralKey), fixture.ephemeralKey)
    assert.equal(hex(action.encCiphertext.subarray(0, 52)), fixture.ciphertext)
    assert.equal(hex(blake2b(action.encCiphertext, { dkLen: 32 })), fixture.encHash)
    assert.equal(hex(blake2b(action.outCiphertext, { dkLen: 32 })), fixture.outHash)

    const note = { pool, value, receiver, diversifierIndex: index, rseed, rho }
    const compact = {
      nullifier: rho,
      cmx: bytes(fixture.cmx),
      ephemeralKey: bytes(fixture.ephemeralKey),
      ciphertext: bytes(fixture.ciphertext),
    }
    assert.deepEqual(tryDecryptCompactAction(key, pool, compact), note)
    const decrypted = tryDecryptAction(key, pool, action)!
    assert.deepEqual(decrypted.note, note)
    const memo = fixture.memo === '' ? { kind: 'empty' } : { kind: 'text', text: fixture.memo }
    assert.deepEqual(decodeMemo(decrypted.memo), memo)
  }
})
