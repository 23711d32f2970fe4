import assert from 'node:assert/strict'
import type { DecryptedAction, tryDecryptCompactActions } from '../../src/note.ts'
import type { ShieldedPool } from '../../src/shielded-pool.ts'
import { incomingViewingKeyFromBytes } from '../../src/viewing-key.ts'
import { bytes, hex } from '../vectors.ts'
import type { OracleCases } from './oracle.ts'

const POOLS: readonly ShieldedPool[] = ['orchard', 'ironwood']
const MAX_REPORTED = 10

/**
 * Decrypts every action with every key with `open`, and compares notes and order with what the orchard crate finds.
 * @throws AssertionError that lists the first differences and the command that repeats the cases
 */
export function expectAgreement(open: typeof tryDecryptCompactActions, cases: OracleCases): void {
  const differences = POOLS.flatMap(pool => {
    const expected = expectedLines(cases, pool)
    const found = foundLines(open, cases, pool)
    const missing = expected.filter(isNotIn(found)).map(line => `not found: ${line}`)
    const extra = found.filter(isNotIn(expected)).map(line => `found, but not by the crate: ${line}`)
    if (missing.length + extra.length > 0) return [...missing, ...extra]
    return found.join() === expected.join() ? [] : [`the ${pool} notes are not sorted by action and key, each once`]
  })
  if (differences.length === 0) return
  const reported = differences.slice(0, MAX_REPORTED).join('\n')
  assert.fail(`${differences.length} differences from the orchard crate:\n${reported}\nrepeat with ${cases.command}`)
}

function isNotIn(lines: readonly string[]): (line: string) => boolean {
  const set = new Set(lines)
  return line => !set.has(line)
}

function expectedLines({ actions, matches }: OracleCases, pool: ShieldedPool): string[] {
  return matches
    .filter(({ actionIndex }) => actions[actionIndex]!.pool === pool)
    .map(match => {
      const { kind, nullifier } = actions[match.actionIndex]!
      return line({ ...match, kind, pool, rho: nullifier })
    })
}

function foundLines(open: typeof tryDecryptCompactActions, cases: OracleCases, pool: ShieldedPool): string[] {
  const keys = cases.keys.map(({ incoming }) => incomingViewingKeyFromBytes(bytes(incoming)))
  const indexed = [...cases.actions.entries()].filter(([, action]) => action.pool === pool)
  const compact = indexed.map(([, { nullifier, cmx, ephemeralKey, ciphertext }]) => ({
    nullifier: bytes(nullifier),
    cmx: bytes(cmx),
    ephemeralKey: bytes(ephemeralKey),
    ciphertext: bytes(ciphertext),
  }))
  let decrypted: readonly DecryptedAction[]
  try {
    decrypted = open(keys, pool, compact)
  } catch (cause) {
    throw new Error(`the ${pool} actions throw: ${cause}\nrepeat with ${cases.command}`, { cause })
  }
  return decrypted.map(({ keyIndex, actionIndex, note }) => {
    const [index, { kind }] = indexed[actionIndex]!
    return line({
      keyIndex,
      actionIndex: index,
      kind,
      pool: note.pool,
      value: note.value,
      receiver: hex(note.receiver),
      diversifierIndex: note.diversifierIndex,
      rseed: hex(note.rseed),
      rho: hex(note.rho),
    })
  })
}

interface Line {
  readonly keyIndex: number
  readonly actionIndex: number
  readonly kind: string
  readonly pool: ShieldedPool
  readonly value: bigint | string
  readonly receiver: string
  readonly diversifierIndex: bigint | string | null
  readonly rseed: string
  readonly rho: string
}

function line({ keyIndex, actionIndex, kind, pool, value, receiver, diversifierIndex, rseed, rho }: Line): string {
  const note = `value ${value} receiver ${receiver} index ${diversifierIndex} rseed ${rseed} rho ${rho}`
  return `action ${actionIndex} (${kind}) with key ${keyIndex}: ${pool} ${note}`
}
