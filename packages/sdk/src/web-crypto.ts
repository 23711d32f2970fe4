/** Web Crypto of browsers and edge runtimes. */
export const webCrypto: typeof globalThis.crypto = globalThis.crypto
