import { compactSize, uint32 } from './encodings.ts'

/** The number of each part of a sample transaction; default 0. */
export interface SampleShape {
  readonly version: 4 | 5 | 6
  /** versions 5 and 6 only */
  readonly branchId?: number
  readonly lockTime?: number
  readonly expiryHeight?: number
  readonly inputs?: number
  readonly outputs?: number
  readonly saplingSpends?: number
  readonly saplingOutputs?: number
  readonly orchard?: number
  /** version 6 only */
  readonly ironwood?: number
  /** version 4 only */
  readonly joinSplits?: number
}

type Fill = (length: number) => Uint8Array

const VERSION_GROUPS = { 4: 0x892f2085, 5: 0x26a7270a, 6: 0xd884b698 } as const

/**
 * A well-formed transaction whose fields contain a fixed pattern (protocol specification §7.1, ZIP 225, ZIP 229). It does
 * not share code with the package, so that it checks the parser independently.
 */
export function sampleTransaction(shape: SampleShape): Uint8Array {
  const { version } = shape
  const fill = patternSource()
  const header = [uint32((0x80000000 | version) >>> 0), uint32(VERSION_GROUPS[version])]
  const times = [uint32(shape.lockTime ?? 0), uint32(shape.expiryHeight ?? 0)]
  const transparent = transparentPart(shape, fill)
  if (version === 4) return join(...header, ...transparent, ...times, ...legacyShieldedPart(shape, fill))
  return join(
    ...header,
    uint32(shape.branchId ?? 0),
    ...times,
    ...transparent,
    ...saplingPart(shape, fill),
    ...actionsPart(shape.orchard ?? 0, fill),
    ...(version === 6 ? actionsPart(shape.ironwood ?? 0, fill) : []),
  )
}

function transparentPart({ inputs = 0, outputs = 0 }: SampleShape, fill: Fill): Uint8Array[] {
  return [
    compactSize(inputs),
    ...repeat(inputs, () => [fill(36), compactSize(10), fill(10), fill(4)]),
    compactSize(outputs),
    ...repeat(outputs, () => [fill(8), compactSize(25), fill(25)]),
  ]
}

function legacyShieldedPart(shape: SampleShape, fill: Fill): Uint8Array[] {
  const { saplingSpends = 0, saplingOutputs = 0, joinSplits = 0 } = shape
  return [
    fill(8),
    compactSize(saplingSpends),
    fill(384 * saplingSpends),
    compactSize(saplingOutputs),
    fill(948 * saplingOutputs),
    compactSize(joinSplits),
    fill(1698 * joinSplits),
    ...(joinSplits > 0 ? [fill(96)] : []),
    ...(saplingSpends + saplingOutputs > 0 ? [fill(64)] : []),
  ]
}

function saplingPart({ saplingSpends = 0, saplingOutputs = 0 }: SampleShape, fill: Fill): Uint8Array[] {
  const descriptions = [
    compactSize(saplingSpends),
    ...repeat(saplingSpends, () => [fill(32), fill(32), fill(32)]),
    compactSize(saplingOutputs),
    ...repeat(saplingOutputs, () => [fill(32), fill(32), fill(32), fill(580), fill(80)]),
  ]
  if (saplingSpends + saplingOutputs === 0) return descriptions
  const valueBalance = fill(8)
  const anchor = saplingSpends > 0 ? [fill(32)] : []
  return [...descriptions, valueBalance, ...anchor, fill(256 * saplingSpends + 192 * saplingOutputs + 64)]
}

function actionsPart(count: number, fill: Fill): Uint8Array[] {
  if (count === 0) return [compactSize(0)]
  const proofLength = 2720 + 2272 * count
  return [
    compactSize(count),
    ...repeat(count, () => [fill(32), fill(32), fill(32), fill(32), fill(32), fill(580), fill(80)]),
    Uint8Array.of(3),
    fill(8),
    fill(32),
    compactSize(proofLength),
    fill(proofLength),
    fill(64 * count + 64),
  ]
}

/** Fills each field with bytes that differ from those of the previous fields. */
function patternSource(): Fill {
  let field = 0
  return length => {
    field++
    return Uint8Array.from({ length }, (_, i) => (field * 31 + i * 7 + (i >> 8)) & 0xff)
  }
}

function repeat(count: number, make: () => Uint8Array[]): Uint8Array[] {
  return Array.from({ length: count }, make).flat()
}

function join(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts))
}
