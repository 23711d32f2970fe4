import type { Network } from '../domain/account/account.ts'

/**
 * Checks an address that a refund is sent to.
 * @returns null for a unified address of the network with a shielded receiver; otherwise what is wrong, in a few words that
 *   repeat nothing of it
 */
export type CheckAddress = (address: string, network: Network) => string | null
