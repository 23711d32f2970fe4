/** Where the kernel reads and writes, and how much: the exports of kernel/assembly/layout.ts, in bytes and items. */
const PLACES = [
  'HEAP',
  'INPUT',
  'MAX_PAIRS',
  'MAX_POINTS',
  'OUTPUT',
  'PAIR_ACTIONS',
  'PAIR_SCALARS',
  'PAIR_TABLES',
  'POINTS',
  'PROGRAM',
] as const

/** Addresses in bytes, and the numbers of items that fit. */
export type Places = Readonly<Record<(typeof PLACES)[number], number>>

/** The functions of kernel/assembly/index.ts. Addresses and offsets are in bytes. */
export interface KernelFunctions {
  decodePoints(count: number): void
  encodeAccumulators(first: number, count: number): void
  areOnCurve(count: number): number
  setTables(start: number, stride: number): void
  loadPoints(first: number, count: number): void
  doublePoints(count: number): number
  storeEntries(offset: number, count: number): void
  runProgram(
    first: number,
    steps: number,
    count: number,
    offset: number,
    windows: number,
    size: number,
    doubles: number,
  ): number
  startPairs(pairs: number, digits: number, offset: number): void
  addPairs(pairs: number, digits: number, offset: number): number
  doublePairs(pairs: number): number
  findCandidates(pairs: number, leadByte: number): number
  deriveDiversifiers(low: bigint, high: bigint, count: number): void
  hashDiversifiers(count: number): void
  hashToPoints(count: number): number
  jumble(count: number, length: number): void
}

interface Exports extends KernelFunctions, Readonly<Record<(typeof PLACES)[number], { readonly value: number }>> {
  readonly memory: KernelMemory
  init(): number
}

/** The memory of an instance. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

// The types of Node do not contain WebAssembly.
interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown }
}

/** @throws Error if WebAssembly or the processor lacks what the kernel needs */
export function instantiate(wasm: Uint8Array): { memory: KernelMemory; run: KernelFunctions; at: Places } {
  const { Instance, Module } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly
  const abort = () => {
    throw new Error('the scan kernel aborted')
  }
  const exports = new Instance(new Module(wasm), { env: { abort } }).exports as Exports
  if (!exports.init()) throw new Error('this processor has no fused multiply-add, which the scan kernel needs')
  const at = Object.fromEntries(PLACES.map(name => [name, exports[name].value])) as Places
  return { memory: exports.memory, run: exports, at }
}
