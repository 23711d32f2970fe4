import { webcrypto } from 'node:crypto'

/** Web Crypto of Node, where it is a global from Node 20 on only. */
export const webCrypto: typeof globalThis.crypto = webcrypto as unknown as typeof globalThis.crypto
