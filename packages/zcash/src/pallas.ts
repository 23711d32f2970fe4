import { hash_to_field, isogenyMap } from '@noble/curves/abstract/hash-to-curve.js'
import { Field } from '@noble/curves/abstract/modular.js'
import { type WeierstrassPoint, weierstrass } from '@noble/curves/abstract/weierstrass.js'
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js'
import { blake2b } from '@noble/hashes/blake2.js'

/** p: the order of the base field of Pallas (protocol specification §5.4.9.6, there q_P). */
export const P = 0x40000000000000000000000000000000224698fc094cf91b992d30ed00000001n
/** q: the order of the Pallas group and of its scalar field (protocol specification §5.4.9.6, there r_P). */
export const Q = 0x40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001n

/** The base field of Pallas, modulo {@link P}. */
export const Fp = Field(P, { isLE: true })
/** The scalar field of Pallas, modulo {@link Q}. */
export const Fq = Field(Q, { isLE: true })

/**
 * The Pallas curve y² = x³ + 5, of prime order (protocol specification §5.4.9.6). The endomorphism (x, y) ↦ (βx, y)
 * halves the cost of `multiplyUnsafe` (GLV), which is not constant-time.
 */
export const Pallas = weierstrass<bigint>(
  { p: P, n: Q, h: 1n, a: 0n, b: 5n, Gx: P - 1n, Gy: 2n },
  {
    Fp,
    Fn: Fq,
    allowInfinityPoint: true,
    endo: {
      beta: 0x12ccca834acdba712caad5dc57aab1b01d1f8bd237ad31491dad5ebdfdfe4ab9n,
      basises: [
        [0x49e69d1640f049157fcae1c700000001n, -0x49e69d1640a899538cb1279300000000n],
        [0x49e69d1640a899538cb1279300000000n, 0x93cd3a2c8198e2690c7c095a00000001n],
      ],
    },
  },
)

/** A point of Pallas, the identity included. */
export type PallasPoint = WeierstrassPoint<bigint>

/**
 * repr_P (protocol specification §5.4.9.6): 32 bytes, the x-coordinate in little-endian order with the parity of y in
 * the top bit. The identity encodes as zeros.
 */
export function encodePoint(point: PallasPoint): Uint8Array {
  const { x, y } = point.toAffine()
  const bytes = numberToBytesLE(x, 32)
  bytes[31]! |= Number(y & 1n) << 7
  return bytes
}

/**
 * Decodes a point from its 32-byte encoding: the inverse of {@link encodePoint}. Returns undefined for the identity,
 * for a non-canonical x, for an x-coordinate that is not on the curve and for any other length.
 */
export function decodePoint(bytes: Uint8Array): PallasPoint | undefined {
  const encoded = bytesToNumberLE(bytes)
  const x = encoded & ((1n << 255n) - 1n)
  if (bytes.length !== 32 || x >= P) return undefined
  const { isSquare, root } = squareRoot(Fp.add(Fp.mul(Fp.sqr(x), x), 5n))
  if (!isSquare) return undefined
  const isOdd = encoded >> 255n
  return Pallas.fromAffine({ x, y: (root & 1n) === isOdd ? root : Fp.neg(root) })
}

/**
 * GroupHash^P (protocol specification §5.4.9.8): hashes a message to a point of Pallas with hash_to_curve, XMD over
 * BLAKE2b-512 and simplified SWU (RFC 9380).
 */
export function groupHash(domain: string, message: Uint8Array): PallasPoint {
  const [u0, u1] = hash_to_field(message, 2, {
    DST: `${domain}-pallas_XMD:BLAKE2b_SSWU_RO_`,
    expand: 'xmd',
    hash: blake2b,
    p: P,
    m: 1,
    k: 256,
  })
  return mapToCurve(u0![0]!).add(mapToCurve(u1![0]!))
}

function mapToCurve(u: bigint): PallasPoint {
  const { x, y } = mapToIsoPallas(u)
  return Pallas.fromAffine(isoPallasToPallas(x, y))
}

const ISO_A = 0x18354a2eb0ea8c9c49be2d7258370742b74134581a27a59f92bb4b0b657a014bn
const ISO_B = 1265n
const Z = P - 13n

// Coefficients in ascending order of degree (protocol specification §5.4.9.8).
const isoPallasToPallas = isogenyMap(Fp, [
  [
    0x1c71c71c71c71c71c71c71c71c71c71c8102eea8e7b06eb6eebec06955555580n,
    0x17329b9ec525375398c7d7ac3d98fd13380af066cfeb6d690eb64faef37ea4f7n,
    0x3509afd51872d88e267c7ffa51cf412a0f93b82ee4b994958cf863b02814fb76n,
    0x0e38e38e38e38e38e38e38e38e38e38e4081775473d8375b775f6034aaaaaaabn,
  ],
  [
    0x325669becaecd5d11d13bf2a7f22b105b4abf9fb9a1fc81c2aa3af1eae5b6604n,
    0x1d572e7ddc099cff5a607fcce0494a799c434ac1c96b6980c47f2ab668bcd71fn,
    1n,
  ],
  [
    0x025ed097b425ed097b425ed097b425ed0ac03e8e134eb3e493e53ab371c71c4fn,
    0x3fb98ff0d2ddcadd303216cce1db9ff11765e924f745937802e2be87d225b234n,
    0x1a84d7ea8c396c47133e3ffd28e7a09507c9dc17725cca4ac67c31d8140a7dbbn,
    0x1a12f684bda12f684bda12f684bda12f7642b01ad461bad25ad985b5e38e38e4n,
  ],
  [
    0x40000000000000000000000000000000224698fc094cf91b992d30ecfffffde5n,
    0x17033d3c60c68173573b3d7f7d681310d976bbfabbc5661d4d90ab820b12320an,
    0x0c02c5bcca0e6b7f0790bfb3506defb65941a3a4a97aa1b35a28279b1d1b42aen,
    1n,
  ],
])

/**
 * map_to_curve_simple_swu (RFC 9380 §6.6.2): maps a base field element to a point of iso-Pallas, y² = x³ + ax + 1265.
 *
 * The square root is computed as √(gx·d⁴)/d², so that one inversion gives both coordinates. The generic map of noble
 * needs several times as many multiplications in a field of 2-adicity 32.
 */
export function mapToIsoPallas(u: bigint): { x: bigint; y: bigint } {
  const zu2 = Fp.mul(Z, Fp.sqr(u))
  const tail = Fp.add(Fp.sqr(zu2), zu2)
  const numerator = Fp.mul(ISO_B, Fp.add(tail, 1n))
  const denominator = Fp.mul(ISO_A, tail === 0n ? Z : Fp.neg(tail))
  const denominator2 = Fp.sqr(denominator)
  const gx = Fp.add(
    Fp.mul(numerator, Fp.add(Fp.sqr(numerator), Fp.mul(ISO_A, denominator2))),
    Fp.mul(ISO_B, Fp.mul(denominator2, denominator)),
  )
  const { isSquare, root } = squareRoot(Fp.mul(gx, denominator))
  const inverse = Fp.inv(denominator)
  const x1 = Fp.mul(numerator, inverse)
  const y1 = Fp.mul(root, Fp.sqr(inverse))
  const x = isSquare ? x1 : Fp.mul(zu2, x1)
  const y = isSquare ? y1 : Fp.mul(Fp.mul(rootTables().nonSquareFactor, Fp.mul(Fp.sqr(u), u)), y1)
  return { x, y: (y & 1n) === (u & 1n) ? y : Fp.neg(y) }
}

// p − 1 = T·2³²
const T = (P - 1n) >> 32n
const WINDOW = 256

interface RootTables {
  /** maps g^(2²⁴·i) to i */
  readonly logarithms: ReadonlyMap<bigint, number>
  /** powers[k][i] = g^(−i·2^(8k)), where g = 5^T has order 2³² */
  readonly powers: readonly (readonly bigint[])[]
  /** √(Z³/g) */
  readonly nonSquareFactor: bigint
}

let tables: RootTables | undefined

function rootTables(): RootTables {
  if (tables === undefined) {
    const g = Fp.pow(5n, T)
    const powers: bigint[][] = []
    for (let k = 0, base = Fp.inv(g); k < 4; k++, base = Fp.pow(base, 256n)) powers.push(powersOf(base))
    const logarithms = new Map(powersOf(Fp.pow(g, 1n << 24n)).map((power, i) => [power, i]))
    tables = { logarithms, powers, nonSquareFactor: Fp.sqrt(Fp.div(Fp.pow(Z, 3n), g)) }
  }
  return tables
}

function powersOf(base: bigint): bigint[] {
  const powers = [1n]
  while (powers.length < WINDOW) powers.push(Fp.mul(powers.at(-1)!, base))
  return powers
}

/**
 * Computes √a, or √(a·g) if a is not a square. This is Tonelli–Shanks; table lookups give the discrete logarithm of a^T
 * in the 2³²-torsion eight bits at a time (Sarkar, https://eprint.iacr.org/2020/1407).
 */
function squareRoot(a: bigint): { isSquare: boolean; root: bigint } {
  const { logarithms, powers } = rootTables()
  const w = Fp.pow(a, (T - 1n) >> 1n)
  const candidate = Fp.mul(a, w)
  if (candidate === 0n) return { isSquare: true, root: 0n }
  const t0 = Fp.mul(candidate, w)
  const t1 = Fp.pow(t0, 256n)
  const t2 = Fp.pow(t1, 256n)
  const t3 = Fp.pow(t2, 256n)
  const [p0, p1, p2, p3] = powers as [bigint[], bigint[], bigint[], bigint[]]
  const e0 = logarithms.get(t3)!
  const e1 = logarithms.get(Fp.mul(t2, p2[e0]!))!
  const e2 = logarithms.get(Fp.mul(Fp.mul(t1, p1[e0]!), p2[e1]!))!
  const e3 = logarithms.get(Fp.mul(Fp.mul(Fp.mul(t0, p0[e0]!), p1[e1]!), p2[e2]!))!
  const half = (e0 + e1 * 2 ** 8 + e2 * 2 ** 16 + e3 * 2 ** 24 - (e0 & 1)) / 2
  const root = [p0, p1, p2, p3].reduce((r, power, k) => Fp.mul(r, power[(half >>> (8 * k)) & 255]!), candidate)
  return { isSquare: (e0 & 1) === 0, root }
}
