import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeAddress, orchardReceiver } from '../../src/address.ts'
import { createKernel } from '../../src/kernel/kernel.ts'
import { Machine } from '../../src/kernel/machine.ts'
import { methodFor } from '../../src/kernel/method.ts'
import { sharedSecrets, tryDecryptCompactActions } from '../../src/note.ts'
import { encodePoint } from '../../src/pallas.ts'
import { hex } from '../vectors.ts'
import { build, type Change, compilerMissing } from './compiler.ts'
import { digitsOf, multiplyAll, pay, randomKey, randomPoint, specialPoints, specialScalars, WASM } from './harness.ts'

const MUTANTS: readonly (Change & { readonly name: string })[] = [
  {
    name: 'a limb of a product',
    file: 'field.ts',
    find: 'v128.store(out, limb(t0))',
    replace: 'v128.store(out, limb(t1))',
  },
  { name: 'a carry of a product', file: 'field.ts', find: 'carriedLimb(t2, t1), 32', replace: 'limb(t2), 32' },
  { name: 'a carry of the fold', file: 'field.ts', find: 'i64x2.add(t9, carry(t8))', replace: 't9' },
  {
    name: 'the last fold',
    file: 'field.ts',
    find: '  t2 = i64x2.add(t2, f64x2.relaxed_madd(r, E2(), C2()))\n',
    replace: '',
  },
  { name: 'a bias', file: 'limbs.ts', find: '[2, 3, 4, 3, 3]', replace: '[2, 3, 3, 3, 3]' },
  { name: 'a constant', file: 'limbs.ts', find: '-17970376.0', replace: '-17970377.0' },
  {
    name: 'the top limb in a sum',
    file: 'limbs.ts',
    find: '  x0 = f64x2.relaxed_madd(top, E0(), x0)\n',
    replace: '',
  },
  { name: 'a carry of a sum', file: 'limbs.ts', find: 'settled(x2, c2, c1)', replace: 'f64x2.sub(x2, c2)' },
  {
    name: 'a quotient of the canonical form',
    file: 'canonical.ts',
    find: 'v128.and(i64x2.shl(c, 1), two)',
    replace: 'v128.and(c, two)',
  },
  {
    name: 'p is not subtracted',
    file: 'canonical.ts',
    find: 'const isAbove = i64x2.neg(i64x2.shr_u(t, 51))',
    replace: 'const isAbove = i64x2.splat(0)',
  },
  {
    name: 'the sign of a digit',
    file: 'column.ts',
    find: 'const y2 = v128.xor(gather(q0 + 8 * i, q1 + 8 * i), signs)',
    replace: 'const y2 = gather(q0 + 8 * i, q1 + 8 * i)',
  },
  { name: 'the first sign', file: 'pairs.ts', find: '    negateAccumulator(n / 2, signs)\n', replace: '' },
  {
    name: 'the tangent',
    file: 'column.ts',
    find: 'f64x2.add(limb, f64x2.add(limb, limb))',
    replace: 'f64x2.add(limb, limb)',
  },
  { name: 'the power of β', file: 'pairs.ts', find: '((digit >> 1) & 3) * 40', replace: '((digit >> 1) & 1) * 40' },
  {
    name: 'the next entry of a window',
    file: 'pairs.ts',
    find: 'return part + <usize>(digit >> 3) * ENTRY + ENTRY_Y',
    replace: 'return part + <usize>((digit >> 3) + 1) * ENTRY + ENTRY_Y',
  },
  {
    name: 'the lanes of an entry',
    file: 'table.ts',
    find: 'store<u32>(X_REFS + 4 * n, <u32>(right1 + variant()), 4)',
    replace: 'store<u32>(X_REFS + 4 * n, <u32>(right0 + variant()), 4)',
  },
  { name: 'the sign of a decoded point', file: 'points.ts', find: 'v128.xor(odd, canonicalParity())', replace: 'odd' },
  { name: 'a digit of the logarithm', file: 'root.ts', find: '  multiplyByPower(T0, 2, e2)\n', replace: '' },
  {
    name: 'the parity in the shared secret',
    file: 'canonical.ts',
    find: 'i == 3 ? v128.or(word, signs) : word',
    replace: 'word',
  },
  { name: 'a round of BLAKE2b', file: 'blake2b.ts', find: 'round < 12', replace: 'round < 11' },
  {
    name: 'the counter of ChaCha20',
    file: 'note-key.ts',
    find: 'v128.store(BLOCK, i32x4.splat(1), 192)',
    replace: 'v128.store(BLOCK, i32x4.splat(0), 192)',
  },
  { name: 'the last lane of a block', file: 'note-key.ts', find: 'lane < 4', replace: 'lane < 3' },
  {
    name: 'the last pairs of a column',
    file: 'note-key.ts',
    find: 'n < pairs; n += 4',
    replace: 'n + 4 <= pairs; n += 4',
  },
  {
    name: 'the sign of a mapped point',
    file: 'map.ts',
    find: 'v128.xor(odd, canonicalParity())',
    replace: 'canonicalParity()',
  },
  { name: 'a sign of a division step', file: 'inverse.ts', find: 'g = -f0', replace: 'g = f0' },
  { name: 'the sign of an inverse', file: 'inverse.ts', find: 'load<i64>(F, LAST) < 0 ? -1 : 1', replace: '1' },
  {
    name: 'the multiple of p in a division',
    file: 'inverse.ts',
    find: '(-carry << 34) >> 34',
    replace: '(carry << 34) >> 34',
  },
  {
    name: 'a round of AES',
    file: 'aes.ts',
    find: 'round < ROUNDS',
    replace: 'round < ROUNDS - 1',
  },
  {
    name: 'the number of a round of FF1',
    file: 'diversifier.ts',
    find: '^ (round << 8)',
    replace: '',
  },
  {
    name: 'a carry of 44 bits of FF1',
    file: 'diversifier.ts',
    find: 'first | (second << 44)',
    replace: 'first | (second << 45)',
  },
  {
    name: 'the round of F4Jumble',
    file: 'jumble.ts',
    find: 'NAME_G | (round << 40)',
    replace: 'NAME_G',
  },
  {
    name: 'the second lane of F4Jumble',
    file: 'jumble.ts',
    find: 'store<u64>(lane1, load<u64>(lane1) ^ (load<u64>(HASH + 2 * i, 8) & counted))',
    replace: 'store<u64>(lane1, load<u64>(lane1) ^ (load<u64>(HASH + 2 * i) & counted))',
  },
  {
    name: 'numbers above 2^384 when hashing',
    file: 'hash-to-field.ts',
    find: 'i < 8; i += 2',
    replace: 'i < 6; i += 2',
  },
]

/** Whether a kernel finds the notes, products and receivers of the plain path. */
function agrees(wasm: Uint8Array): boolean {
  const machine = new Machine(wasm)
  for (const count of [1, 100]) {
    const scalars = specialScalars().slice(0, 60)
    const points = [randomPoint(), ...specialPoints().slice(0, 2), randomPoint()].map(encodePoint)
    const keys = scalars.map(ivk => ({ dk: new Uint8Array(32), ivk }))
    const expected = points.flatMap(point => sharedSecrets(keys, point)).map(hex)
    const products = multiplyAll(machine, points, digitsOf(methodFor(count), scalars)).map(hex)
    if (products.join() !== expected.join()) return false
  }
  const kernel = createKernel(wasm)
  // Each action pays the key of its number, so the matches are in every lane. The last pair is one too many for whole blocks.
  const keys = Array.from({ length: 10 }, randomKey)
  const actions = [...keys, keys[9]!].map(key => pay(key, 'ironwood'))
  const [notes, expected] = [kernel.tryDecryptCompactActions, tryDecryptCompactActions].map(open =>
    open(keys, 'ironwood', actions).map(({ keyIndex, actionIndex, note }) =>
      [keyIndex, actionIndex, hex(note.receiver)].join(),
    ),
  )
  const addresses = kernel.encodeAddresses('test', kernel.orchardReceivers(keys[0]!, 3n, 8))
  const plainAddresses = addresses.map((_, i) => encodeAddress('test', orchardReceiver(keys[0]!, 3n + BigInt(i))))
  return notes!.join() === expected!.join() && addresses.join() === plainAddresses.join()
}

function isCaught(wasm: Uint8Array): boolean {
  try {
    return !agrees(wasm)
  } catch {
    return true
  }
}

test('the comparison with the plain path finds no fault in the kernel', () => assert.ok(agrees(WASM)))

describe('the comparison with the plain path finds a fault in', { skip: compilerMissing }, () => {
  for (const mutant of MUTANTS) test(mutant.name, () => assert.ok(isCaught(build(mutant))))
})
