import { sealNote } from '@zatgate/zcash/create-action'
import type { Action, Pool } from '@zatgate/zcash/note'
import { decodePoint } from '@zatgate/zcash/pallas'
import type { SeededRandom } from '../random.ts'

/** A note to be made: who gets how much. */
export interface Output {
  /** 43 bytes, an Orchard receiver */
  readonly receiver: Uint8Array
  /** zat */
  readonly value: bigint
  /** 512 bytes (ZIP 302); absent means "no memo" */
  readonly memo?: Uint8Array
}

/** A bundle has at least two actions, as wallets pad it to hide how many notes it really makes. */
const MIN_ACTIONS = 2

/** Seals the outputs into actions, padded with notes to `change` and shuffled. */
export function sealActions(
  random: SeededRandom,
  pool: Pool,
  outputs: readonly Output[],
  change: Uint8Array,
): Action[] {
  const padding = Math.max(MIN_ACTIONS - outputs.length, 0)
  const padded = [...outputs, ...Array.from({ length: padding }, () => changeOutput(random, change))]
  return random.shuffle(padded).map(output => sealAction(random, pool, output))
}

function changeOutput(random: SeededRandom, receiver: Uint8Array): Output {
  return { receiver, value: BigInt(random.below(2 ** 32)) }
}

/** Everything random is given, so that a seed repeats a transaction to the byte. */
function sealAction(random: SeededRandom, pool: Pool, output: Output): Action {
  return sealNote({
    ...output,
    pool,
    rho: random.fieldElement(),
    rseed: random.bytes(32),
    ovk: random.bytes(32),
    cvNet: randomPoint(random),
    rk: randomPoint(random),
  })
}

/** About every second x-coordinate is on the curve. */
function randomPoint(random: SeededRandom): Uint8Array {
  for (;;) {
    const encoded = random.fieldElement()
    if (decodePoint(encoded) !== undefined) return encoded
  }
}
