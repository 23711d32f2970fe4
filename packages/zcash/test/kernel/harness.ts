import { readFileSync } from 'node:fs'
import { bytesToNumberLE } from '@noble/curves/utils.js'
import { orchardReceiver } from '../../src/address.ts'
import { createAction } from '../../src/create-action.ts'
import { type Digits, type Machine, type Pairs, toDigits } from '../../src/kernel/machine.ts'
import type { Method } from '../../src/kernel/recode.ts'
import { recode } from '../../src/kernel/recode.ts'
import { type CompactAction, toCompactAction } from '../../src/note.ts'
import { decodePoint, P, Pallas, type PallasPoint, Q } from '../../src/pallas.ts'
import type { ShieldedPool } from '../../src/shielded-pool.ts'
import type { IncomingViewingKey } from '../../src/viewing-key.ts'

export const WASM = readFileSync(new URL('../../kernel/kernel.wasm', import.meta.url))

export function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
}

export function randomScalar(): bigint {
  return (bytesToNumberLE(randomBytes(48)) % (Q - 1n)) + 1n
}

export function randomKey(): IncomingViewingKey {
  return { dk: randomBytes(32), ivk: (bytesToNumberLE(randomBytes(48)) % (P - 1n)) + 1n }
}

/** An action that pays a random address of the key. */
export function pay(key: IncomingViewingKey, pool: ShieldedPool, value = 1n): CompactAction {
  const index = bytesToNumberLE(randomBytes(11))
  const rho = randomBytes(32).with(31, 0)
  return toCompactAction(
    createAction({ pool, value, receiver: orchardReceiver(key, index), rho, rseed: randomBytes(32) }),
  )
}

export function randomPoint(): PallasPoint {
  return Pallas.BASE.multiplyUnsafe(randomScalar())
}

/** The points with the smallest and the largest x, and with x just below and above powers of two that limbs begin at. */
export function specialPoints(): PallasPoint[] {
  const starts = [1n, P - 40n, ...[51n, 102n, 153n, 204n, 253n].flatMap(bits => [(1n << bits) - 20n, 1n << bits])]
  return starts.flatMap(start => {
    for (let x = start; x < P; x++) {
      const bytes = new Uint8Array(32)
      for (let i = 0; i < 32; i++) bytes[i] = Number((x >> BigInt(8 * i)) & 255n)
      const point = decodePoint(bytes)
      if (point) return [point, point.negate()]
    }
    return []
  })
}

/** Scalars at the ends, near powers of two, and near λ, whose digits or partial sums are special. */
export function specialScalars(): bigint[] {
  const lambda = 0x06819a58283e528e511db4d81cf70f5a0fed467d47c033af2aa9d2e050aa0e4fn
  const near = [0n, Q, lambda, Q - lambda, (lambda * lambda) % Q, Q / 2n, P]
  for (let bits = 1n; bits < 255n; bits += bits < 16n ? 1n : 7n) near.push(1n << bits)
  const scalars = near.flatMap(n => [n - 2n, n - 1n, n, n + 1n, n + 2n]).filter(n => n > 0n && n < Q)
  return [...new Set(scalars)]
}

export function digitsOf(method: Method, scalars: readonly bigint[]): Digits {
  return toDigits(
    method,
    scalars.map(scalar => {
      const codes = recode(scalar, method)
      if (codes === undefined) throw new Error(`no digits for ${scalar}`)
      return codes
    }),
  )
}

/** Multiplies each encoded point by each scalar with the kernel. Returns the encoded products, point by point. */
export function multiplyAll(machine: Machine, points: readonly Uint8Array[], digits: Digits): Uint8Array[] {
  const input = machine.bytes(machine.at.INPUT, points.length * 40)
  for (const [i, point] of points.entries()) input.set(point, i * 40)
  const valid = machine.decodePoints(points.length)
  if (valid.length !== points.length) throw new Error('a point is not valid')
  machine.useDigits(digits)
  machine.buildTables(0, points.length)
  const all = points.flatMap((_, point) => Array.from({ length: digits.count }, (_, scalar) => ({ point, scalar })))
  const products: Uint8Array[] = []
  for (let start = 0; start < all.length; start += machine.at.MAX_PAIRS) {
    const batch = all.slice(start, start + machine.at.MAX_PAIRS)
    const pairs: Pairs = {
      points: Uint32Array.from(batch, ({ point }) => point),
      scalars: Uint32Array.from(batch, ({ scalar }) => scalar),
      actions: new Uint32Array(batch.length),
    }
    machine.multiply(pairs, batch.length)
    products.push(...machine.encodeResults(0, batch.length))
  }
  return products
}
