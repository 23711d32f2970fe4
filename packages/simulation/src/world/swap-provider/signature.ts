import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { quoteDigest, type SignedQuote } from '@zatgate/server/adapters/oneclick/signature'

/** The DER encoding of an Ed25519 private key in PKCS #8 up to its 32 bytes (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const privateKey = createPrivateKey({
  key: Buffer.concat([PKCS8_PREFIX, Buffer.alloc(32, 7)]),
  format: 'der',
  type: 'pkcs8',
})

/** The provider's key, as the service is configured with it. */
export const SIGNING_KEY = `ed25519:${base58(
  Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x as string, 'base64url'),
)}`

/** The provider's signature of a quote. */
export function signatureOf(quote: Omit<SignedQuote, 'signature'>): string {
  return `ed25519:${base58(sign(null, Buffer.from(quoteDigest({ ...quote, signature: '' })), privateKey))}`
}

function base58(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = ALPHABET[Number(value % 58n)] + text
  return '1'.repeat(bytes.findIndex(byte => byte !== 0)) + text
}
