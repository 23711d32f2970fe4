import { parseAddress } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import { TYPECODES } from '@zatgate/zcash/unified'
import type { Network } from '../../domain/account/account.ts'

const SHIELDED: readonly number[] = [TYPECODES.sapling, TYPECODES.orchard]

/** As `CheckAddress`: only unified addresses of ZIP 316 with an Orchard or a Sapling receiver. */
export function checkShieldedAddress(text: string, network: Network): string | null {
  try {
    const address = parseAddress(text)
    if (address.network !== network) return `an address of the ${address.network} network`
    return address.typecodes.some(code => SHIELDED.includes(code)) ? null : NOT_SHIELDED
  } catch (error) {
    if (!(error instanceof ZcashError)) throw error
    return error.code === 'no_shielded_item' ? NOT_SHIELDED : 'no unified address, or one with a typing error'
  }
}

const NOT_SHIELDED = 'a unified address without a shielded receiver'
