import { createAction } from '@zatgate/zcash/create-action'
import type { Action } from '@zatgate/zcash/note'
import { decodePoint } from '@zatgate/zcash/pallas'
import type { ShieldedPool } from '@zatgate/zcash/shielded-pool'
import type { SeededRandom } from '../random.ts'

/** A note to create: its receiver and its value. */
export interface Output {
  /** 43 bytes, an Orchard receiver */
  readonly receiver: Uint8Array
  /** zat */
  readonly value: bigint
  /** 512 bytes (ZIP 302); absent: no memo */
  readonly memo?: Uint8Array
}

/** Wallets pad a bundle to at least two actions to hide the number of notes that it creates. */
const MIN_ACTIONS = 2

/** Encrypts the outputs into actions, pads these with notes to `change`, and shuffles them. */
export function createActions(
  random: SeededRandom,
  pool: ShieldedPool,
  outputs: readonly Output[],
  change: Uint8Array,
): Action[] {
  const padding = Math.max(MIN_ACTIONS - outputs.length, 0)
  const padded = [...outputs, ...Array.from({ length: padding }, () => changeOutput(random, change))]
  return random.shuffle(padded).map(output => actionOf(random, pool, output))
}

function changeOutput(random: SeededRandom, receiver: Uint8Array): Output {
  return { receiver, value: BigInt(random.below(2 ** 32)) }
}

/** All random values come from `random`, so that a seed reproduces a transaction byte for byte. */
function actionOf(random: SeededRandom, pool: ShieldedPool, output: Output): Action {
  return createAction({
    ...output,
    pool,
    rho: random.fieldElement(),
    rseed: random.bytes(32),
    ovk: random.bytes(32),
    cvNet: randomPoint(random),
    rk: randomPoint(random),
  })
}

/** Retries: about half of all x-coordinates are on the curve. */
function randomPoint(random: SeededRandom): Uint8Array {
  for (;;) {
    const encoded = random.fieldElement()
    if (decodePoint(encoded) !== undefined) return encoded
  }
}
