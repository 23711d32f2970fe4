import type { IncomingViewingKey } from '../viewing-key.ts'
import { type Digits, toDigits } from './machine.ts'
import { methodFor } from './method.ts'
import { type Method, recode } from './recode.ts'

/** Keys as the kernel needs them. */
export interface PreparedKeys {
  /** The indexes of the keys that have digits, in the order of the digits. */
  readonly regular: Uint32Array
  /** The indexes of the other keys, which take the plain path. */
  readonly irregular: readonly number[]
  /** Undefined without regular keys. */
  readonly digits: Digits | undefined
}

/** Recodes each key once for a method, and gathers the digits once for a list of keys. */
export class KeyPreparation {
  readonly #codes = new WeakMap<IncomingViewingKey, Map<Method, Uint16Array | null>>()
  #keys: readonly IncomingViewingKey[] = []
  #prepared: PreparedKeys = { regular: new Uint32Array(), irregular: [], digits: undefined }

  /** The same keys in the same order as in the previous call cost nothing. */
  prepare(keys: readonly IncomingViewingKey[]): PreparedKeys {
    if (keys.length === this.#keys.length && keys.every((key, i) => key === this.#keys[i])) return this.#prepared
    const method = methodFor(keys.length)
    const regular: number[] = []
    const irregular: number[] = []
    const scalars: Uint16Array[] = []
    for (const [index, key] of keys.entries()) {
      const codes = this.#codesOf(key, method)
      if (codes === null) {
        irregular.push(index)
        continue
      }
      regular.push(index)
      scalars.push(codes)
    }
    this.#keys = keys.slice()
    const digits = regular.length > 0 ? toDigits(method, scalars) : undefined
    this.#prepared = { regular: Uint32Array.from(regular), irregular, digits }
    return this.#prepared
  }

  #codesOf(key: IncomingViewingKey, method: Method): Uint16Array | null {
    const known = this.#codes.get(key) ?? new Map<Method, Uint16Array | null>()
    if (known.size === 0) this.#codes.set(key, known)
    let codes = known.get(method)
    if (codes === undefined) {
      codes = recode(key.ivk, method) ?? null
      known.clear()
      known.set(method, codes)
    }
    return codes
  }
}
