import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from 'node:crypto'
import type { Place, Random, Vault } from '../../ports.ts'

const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/** The key that sealed a secret is not among those given. */
export class UnknownKey extends Error {
  constructor() {
    super('sealed under an encryption key that this service does not have')
    this.name = 'UnknownKey'
  }
}

/**
 * AES-256-GCM. A sealed secret is key id (4) ‖ nonce (12) ‖ ciphertext ‖ tag (16); table, column and row are the
 * additional data, so that a secret copied to another place does not open there.
 *
 * Seals under the first key and opens under any: to rotate, put the new key before the old one, seal everything again,
 * then take the old one away.
 *
 * @param keys 32 bytes each, at least one.
 */
export function createVault(keys: readonly Uint8Array[], random: Random): Vault {
  const ring = keys.map(key => ({ id: keyId(key), key: createSecretKey(key) }))
  const newest = ring[0]
  if (!newest) throw new RangeError('a vault needs at least one key')
  return {
    seal: (secret, place) => Buffer.concat([newest.id, encrypt(newest.key, random.bytes(NONCE_BYTES), secret, place)]),
    open(sealed, place) {
      const id = sealed.subarray(0, KEY_ID_BYTES)
      const entry = ring.find(candidate => candidate.id.equals(id))
      if (!entry) throw new UnknownKey()
      return decrypt(entry.key, sealed.subarray(KEY_ID_BYTES), place)
    },
  }
}

/** Names a key without telling anything of it. */
function keyId(key: Uint8Array): Buffer {
  return createHash('sha256').update('zatgate encryption key').update(key).digest().subarray(0, KEY_ID_BYTES)
}

function encrypt(key: KeyObject, nonce: Uint8Array, secret: Uint8Array, place: Place): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(placeBytes(place))
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: KeyObject, sealed: Uint8Array, place: Place): Uint8Array {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(placeBytes(place))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

function placeBytes({ table, column, row }: Place): Buffer {
  return Buffer.from(JSON.stringify([table, column, row]))
}
