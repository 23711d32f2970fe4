import { blake2b } from '@noble/hashes/blake2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { encodeUint32 } from './encode.ts'
import type { Action } from './note.ts'
import type { ActionBundle, SaplingBundle, TransactionFields, TransparentBundle } from './transaction-fields.ts'

/** Offsets at which ZIP 244 splits a note ciphertext: compact part, memo, authentication tag. */
const COMPACT_END = 52
const MEMO_END = 564

/**
 * Computes the transaction identifier (txid_digest) of a version 5 (ZIP 244, "TxId Digest") or version 6 (ZIP 229,
 * "Transaction Identifiers, Auth Digests, and Signature Digests") transaction: 32 bytes in internal byte order. In
 * version 6 the anchors are authorizing data and do not affect the result. The fields are not checked.
 */
export function txidDigest(fields: TransactionFields): Uint8Array {
  const personalization = concatBytes(utf8ToBytes('ZcashTxHash_'), encodeUint32('branchId', fields.branchId))
  const digests = [
    headerDigest(fields),
    transparentDigest(fields.transparent),
    saplingDigest(fields.sapling, fields.version),
    actionsDigest(fields.orchard, fields.version === 5 ? ORCHARD_V5 : ORCHARD_V6),
  ]
  if (fields.version === 6) digests.push(actionsDigest(fields.ironwood, IRONWOOD_V6))
  return blake2b(concatBytes(...digests), { dkLen: 32, personalization })
}

function headerDigest(fields: TransactionFields): Uint8Array {
  const header = (0x80000000 | fields.version) >>> 0
  return digest('ZTxIdHeadersHash', [
    encodeUint32('header', header),
    encodeUint32('version group id', fields.versionGroupId),
    encodeUint32('branchId', fields.branchId),
    encodeUint32('lock time', fields.lockTime),
    encodeUint32('expiryHeight', fields.expiryHeight),
  ])
}

function transparentDigest({ inputs, outputCount, outputs }: TransparentBundle): Uint8Array {
  if (inputs.length + outputCount === 0) return digest('ZTxIdTranspaHash', [])
  return digest('ZTxIdTranspaHash', [
    digest(
      'ZTxIdPrevoutHash',
      inputs.map(input => input.outpoint),
    ),
    digest(
      'ZTxIdSequencHash',
      inputs.map(input => input.sequence),
    ),
    digest('ZTxIdOutputsHash', [outputs]),
  ])
}

function saplingDigest(bundle: SaplingBundle | undefined, version: 5 | 6): Uint8Array {
  if (!bundle) return digest('ZTxIdSaplingHash', [])
  return digest('ZTxIdSaplingHash', [
    saplingSpendsDigest(bundle, version),
    saplingOutputsDigest(bundle),
    bundle.valueBalance,
  ])
}

function saplingSpendsDigest({ spends, anchor }: SaplingBundle, version: 5 | 6): Uint8Array {
  if (!anchor) return digest('ZTxIdSSpendsHash', [])
  const noncompact =
    version === 5
      ? digest(
          'ZTxIdSSpendNHash',
          spends.flatMap(({ cv, rk }) => [cv, anchor, rk]),
        )
      : digest(
          'ZTxIdSSpendNH_v6',
          spends.flatMap(({ cv, rk }) => [cv, rk]),
        )
  return digest('ZTxIdSSpendsHash', [
    digest(
      'ZTxIdSSpendCHash',
      spends.map(spend => spend.nullifier),
    ),
    noncompact,
  ])
}

function saplingOutputsDigest({ outputs }: SaplingBundle): Uint8Array {
  if (outputs.length === 0) return digest('ZTxIdSOutputHash', [])
  return digest('ZTxIdSOutputHash', [
    digest(
      'ZTxIdSOutC__Hash',
      outputs.flatMap(output => [output.cmu, output.ephemeralKey, output.encCiphertext.subarray(0, COMPACT_END)]),
    ),
    digest(
      'ZTxIdSOutM__Hash',
      outputs.map(output => output.encCiphertext.subarray(COMPACT_END, MEMO_END)),
    ),
    digest(
      'ZTxIdSOutN__Hash',
      outputs.flatMap(output => [output.cv, output.encCiphertext.subarray(MEMO_END), output.outCiphertext]),
    ),
  ])
}

/** The personalizations that hash a bundle of actions (ZIP 244 T.4, ZIP 229). */
interface ActionsPersonalization {
  readonly bundle: string
  readonly compact: string
  readonly memos: string
  readonly noncompact: string
  /** whether the digest includes the anchor */
  readonly includesAnchor: boolean
}

const ORCHARD_V5: ActionsPersonalization = {
  bundle: 'ZTxIdOrchardHash',
  compact: 'ZTxIdOrcActCHash',
  memos: 'ZTxIdOrcActMHash',
  noncompact: 'ZTxIdOrcActNHash',
  includesAnchor: true,
}

const ORCHARD_V6: ActionsPersonalization = { ...ORCHARD_V5, bundle: 'ZTxIdOrchardH_v6', includesAnchor: false }

const IRONWOOD_V6: ActionsPersonalization = {
  bundle: 'ZTxIdIronwd_H_v6',
  compact: 'ZTxIdIrnActCH_v6',
  memos: 'ZTxIdIrnActMH_v6',
  noncompact: 'ZTxIdIrnActNH_v6',
  includesAnchor: false,
}

function actionsDigest(bundle: ActionBundle | undefined, names: ActionsPersonalization): Uint8Array {
  if (!bundle) return digest(names.bundle, [])
  const actionFieldsDigest = (name: string, fields: (action: Action) => Uint8Array[]) =>
    digest(name, bundle.actions.flatMap(fields))
  const digests = [
    actionFieldsDigest(names.compact, a => [
      a.nullifier,
      a.cmx,
      a.ephemeralKey,
      a.encCiphertext.subarray(0, COMPACT_END),
    ]),
    actionFieldsDigest(names.memos, a => [a.encCiphertext.subarray(COMPACT_END, MEMO_END)]),
    actionFieldsDigest(names.noncompact, a => [a.cvNet, a.rk, a.encCiphertext.subarray(MEMO_END), a.outCiphertext]),
    Uint8Array.of(bundle.flags),
    bundle.valueBalance,
  ]
  if (names.includesAnchor) digests.push(bundle.anchor)
  return digest(names.bundle, digests)
}

function digest(personalization: string, parts: readonly Uint8Array[]): Uint8Array {
  const hash = blake2b.create({ dkLen: 32, personalization: utf8ToBytes(personalization) })
  for (const part of parts) hash.update(part)
  return hash.digest()
}
