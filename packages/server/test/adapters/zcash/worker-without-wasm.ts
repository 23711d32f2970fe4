/** A worker of the note scanner on a machine without WebAssembly. */
Object.defineProperty(globalThis, 'WebAssembly', { value: undefined })
await import('../../../src/adapters/zcash/worker.ts')
