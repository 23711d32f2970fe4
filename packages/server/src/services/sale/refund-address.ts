import type { Network } from '../../domain/account/account.ts'
import { invalidField } from '../../domain/error.ts'
import type { Invoice } from '../../domain/sale/invoice.ts'
import { MAX_REFUND_ADDRESS_CHARS, namedAddressKind } from '../../domain/sale/refund.ts'
import type { CheckAddress } from '../../ports/address-check.ts'

/** How the service checks addresses of refunds. */
export interface AddressRule {
  readonly network: Network
  readonly checkAddress: CheckAddress
}

/** The address of a refund, without spaces around it. @throws AppError `invalid_address` that names what was given */
export function requireRefundAddress(text: string, invoice: Invoice, rule: AddressRule): string {
  const address = text.trim()
  const wrong = wrongAddress(address, invoice, rule)
  if (wrong === null) return address
  throw invalidField('address', `this is ${wrong}: give a unified address (u…) of the wallet that gets the refund`)
}

function wrongAddress(address: string, invoice: Invoice, { network, checkAddress }: AddressRule): string | null {
  if (address === '') return 'empty'
  if (address.length > MAX_REFUND_ADDRESS_CHARS) return `longer than ${MAX_REFUND_ADDRESS_CHARS} characters`
  if (address === invoice.address) return 'the address of the shop'
  return namedAddressKind(address) ?? checkAddress(address, network)
}
