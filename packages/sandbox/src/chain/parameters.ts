import { randomBytes } from 'node:crypto'
import { ChainError } from './error.ts'
import type { SandboxNetwork } from './keys.ts'

/** The parameters of a chain. They are fixed when the chain is created. */
export interface ChainParameters {
  readonly seed: Uint8Array
  readonly network: SandboxNetwork
  /** the first block in which payments go to the Ironwood pool */
  readonly nu63Height: number
  /** the first block of NU7; null: never */
  readonly nu7Height: number | null
}

/** The default activation heights of NU7; null: never. */
const NU7_HEIGHTS: Readonly<Record<SandboxNetwork, number | null>> = { regtest: null, test: 4_465_026 }

/** The default activation heights of NU6.3. */
const NU63_HEIGHTS: Readonly<Record<SandboxNetwork, number>> = { regtest: 0, test: 4_134_000 }

/**
 * The parameters of a new chain: those given, and defaults.
 * @throws ChainError when NU7 would activate before NU6.3
 */
export function newParameters(given: Partial<ChainParameters>): ChainParameters {
  const { seed, network = 'regtest', nu63Height = NU63_HEIGHTS[network], nu7Height = NU7_HEIGHTS[network] } = given
  if (nu7Height !== null && nu7Height < nu63Height) {
    throw new ChainError('nu7Height', `NU7 must not activate before NU6.3, which is at height ${nu63Height}`)
  }
  return { seed: seed ?? new Uint8Array(randomBytes(32)), network, nu63Height, nu7Height }
}

/** Throws ChainError when a given network or activation height differs from that of an existing chain. */
export function expectSameParameters(given: Partial<ChainParameters>, chain: ChainParameters): void {
  const { network, nu63Height, nu7Height } = given
  if (network !== undefined && network !== chain.network) {
    throw new ChainError('network', `the network of this chain is ${chain.network}, not ${network}`)
  }
  if (nu63Height !== undefined && nu63Height !== chain.nu63Height) {
    throw new ChainError('nu63Height', `this chain has NU6.3 at height ${chain.nu63Height}, not ${nu63Height}`)
  }
  if (nu7Height !== undefined && nu7Height !== chain.nu7Height) {
    const heights = [chain.nu7Height, nu7Height].map(height => height ?? 'none')
    throw new ChainError('nu7Height', `this chain has NU7 at height ${heights.join(', not ')}`)
  }
}
