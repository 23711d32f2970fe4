import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject } from 'node:crypto'
import type { Random } from '../../ports/random.ts'
import type { SealContext, Vault } from '../../ports/vault.ts'

const KEY_ID_BYTES = 4
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

/** The secret was sealed under a key that is not in the key list. */
export class UnknownEncryptionKeyError extends Error {
  constructor() {
    super('ENCRYPTION_KEY lacks the key that encrypted the secrets in the database')
    this.name = 'UnknownEncryptionKeyError'
  }
}

/**
 * Seals secrets with AES-256-GCM. A sealed secret is key id (4) ‖ nonce (12) ‖ ciphertext ‖ tag (16). Table, column and
 * row are the additional data, so a secret copied to another row cannot be opened there.
 *
 * Seals with the first key and opens with any. To rotate keys, put the new key first, seal everything again, then remove
 * the old key.
 *
 * @param keys 32 bytes each, at least one
 */
export function createVault(keys: readonly Uint8Array[], random: Random): Vault {
  const keyRing = keys.map(key => ({ id: keyId(key), key: createSecretKey(key) }))
  const newest = keyRing[0]
  if (!newest) throw new RangeError('a vault needs at least one key')
  return {
    seal: (secret, context) =>
      Buffer.concat([newest.id, encrypt(newest.key, random.bytes(NONCE_BYTES), secret, context)]),
    open(sealed, context) {
      const id = sealed.subarray(0, KEY_ID_BYTES)
      const entry = keyRing.find(candidate => candidate.id.equals(id))
      if (!entry) throw new UnknownEncryptionKeyError()
      return decrypt(entry.key, sealed.subarray(KEY_ID_BYTES), context)
    },
  }
}

/** The id of an encryption key in hex. Every sealed secret contains that of its key. */
export function encryptionKeyId(key: Uint8Array): string {
  return keyId(key).toString('hex')
}

/** Identifies a key without revealing it. */
function keyId(key: Uint8Array): Buffer {
  return createHash('sha256').update('zatgate encryption key').update(key).digest().subarray(0, KEY_ID_BYTES)
}

function encrypt(key: KeyObject, nonce: Uint8Array, secret: Uint8Array, context: SealContext): Buffer {
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(contextBytes(context))
  return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: KeyObject, sealed: Uint8Array, context: SealContext): Uint8Array {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(contextBytes(context))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

function contextBytes({ table, column, row }: SealContext): Buffer {
  return Buffer.from(JSON.stringify([table, column, row]))
}
