import { BlockList, isIP } from 'node:net'

export const MAX_ADDRESS_BLOCKS = 20

/** An address as a number. */
interface Address {
  readonly version: 4 | 6
  readonly value: bigint
}

const BITS = { 4: 32, 6: 128 } as const
/** An IPv4 address inside IPv6, `::ffff:192.0.2.1`, has these bits before it. */
const MAPPED_PREFIX = 0xffffn
const MAPPED_BITS = 96

/**
 * The canonical form of a CIDR block or of one address: `192.0.2.77/24` is `192.0.2.0/24`, `2001:DB8::1` is
 * `2001:db8::1/128`. IPv4 inside IPv6 is IPv4. Null for anything else.
 */
export function parseAddressBlock(text: string): string | null {
  const [, addressText = '', prefixText] = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const given = parseAddress(addressText)
  if (given === null) return null
  const givenBits = BITS[given.version]
  const prefix = prefixText === undefined ? givenBits : Number(prefixText)
  if (prefix > givenBits) return null
  // A shorter prefix reaches beyond the mapped addresses.
  const block = prefix >= MAPPED_BITS ? unmapped(given) : given
  const bits = BITS[block.version]
  const shownPrefix = prefix - (givenBits - bits)
  const hostBits = BigInt(bits - shownPrefix)
  return `${formatAddress({ ...block, value: (block.value >> hostBits) << hostBits })}/${shownPrefix}`
}

/** Whether an address is in one of the blocks, which are in canonical form. */
export function isInBlocks(text: string, blocks: readonly string[]): boolean {
  const parsed = parseAddress(text)
  if (parsed === null) return false
  const address = unmapped(parsed)
  const list = new BlockList()
  for (const block of blocks) {
    const [network = '', prefix] = block.split('/')
    // A BlockList takes IPv4 for a part of IPv6.
    if (isIP(network) === address.version) list.addSubnet(network, Number(prefix), `ipv${address.version}`)
  }
  return list.check(formatAddress(address), `ipv${address.version}`)
}

function parseAddress(text: string): Address | null {
  const version = isIP(text)
  if (version === 4) return { version, value: numberOf(text.split('.'), 8n, 10) }
  if (version !== 6 || text.includes('%')) return null
  const [left = '', right] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))
  const [first, last] = [groupsOf(left), groupsOf(right ?? '')]
  const zeros = Array<string>(8 - first.length - last.length).fill('0')
  return { version, value: numberOf([...first, ...zeros, ...last], 16n, 16) }
}

function numberOf(parts: readonly string[], bits: bigint, radix: number): bigint {
  return parts.reduce((value, part) => (value << bits) + BigInt(Number.parseInt(part, radix)), 0n)
}

function unmapped(address: Address): Address {
  const isMapped = address.version === 6 && address.value >> 32n === MAPPED_PREFIX
  return isMapped ? { version: 4, value: address.value & 0xffff_ffffn } : address
}

function formatAddress({ version, value }: Address): string {
  const part = (shift: number, mask: bigint) => (value >> BigInt(shift)) & mask
  if (version === 4) return [24, 16, 8, 0].map(shift => part(shift, 0xffn)).join('.')
  const groups = [112, 96, 80, 64, 48, 32, 16, 0].map(shift => part(shift, 0xffffn).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}
