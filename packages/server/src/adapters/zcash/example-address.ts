import { encodeAddress } from '@zatgate/zcash/address'
import type { Network } from '../../domain/account/account.ts'

/** The default Orchard receiver of the first test vector of Zcash (zcash-test-vectors, orchard/key_components). */
const RECEIVER = '8ff3386971cb64b8e7789908dd8ebd7de92a68e586a34db8fea999efd2016fae76750afae7ee941646bcb9'

/** A valid address for requests that lead to no payment. Its keys are published: it must never receive anything. */
export function exampleAddress(network: Network): string {
  return encodeAddress(network, Buffer.from(RECEIVER, 'hex'))
}
