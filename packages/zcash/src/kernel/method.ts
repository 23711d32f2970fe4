import type { Method } from './recode.ts'
import { createWindow, type Window } from './window.ts'

/** Bits of the halves of a scalar: at most 127, and one more so that nearly every scalar fits at once. */
const SCALAR_BITS = 128
/** Field multiplications of one addition or doubling, its share of a column's inversion included. */
const ADDITION = 6.2
const DOUBLING = 7.2
/** The same for one more entry of a table: measured, since it is written to memory outside the cache. */
const ENTRY = 12
const COMB_LENGTHS = [19, 20, 21, 22, 24, 26, 32, 43]
const LADDER_WIDTHS = [2, 3]

/** A comb of `length` windows: all but the highest ones are one bit narrower if the bits do not divide evenly. */
function comb(length: number, windowOf: (width: number) => Window): Method {
  const width = Math.floor(SCALAR_BITS / length)
  const wide = SCALAR_BITS - width * length
  const widths = Array.from({ length }, (_, i) => (i < length - wide ? width : width + 1))
  return { kind: 'comb', windows: widths.map(windowOf) }
}

function ladder(width: number, windowOf: (width: number) => Window): Method {
  const window = windowOf(width)
  return { kind: 'ladder', windows: Array.from({ length: Math.ceil(SCALAR_BITS / width) }, () => window) }
}

let candidates: readonly Method[] | undefined
const methods = new Map<number, Method>()

/** The cheapest method for points that are each multiplied by about this number of scalars. */
export function methodFor(scalars: number): Method {
  const size = 2 ** Math.round(Math.log2(Math.max(1, scalars)))
  const method = methods.get(size) ?? cheapest(size)
  methods.set(size, method)
  return method
}

function cheapest(scalars: number): Method {
  candidates ??= createMethods()
  return candidates.reduce((best, next) => (cost(next, scalars) < cost(best, scalars) ? next : best))
}

function createMethods(): Method[] {
  const windows = new Map<number, Window>()
  const windowOf = (width: number) => {
    const window = windows.get(width) ?? createWindow(width)
    windows.set(width, window)
    return window
  }
  return [...LADDER_WIDTHS.map(width => ladder(width, windowOf)), ...COMB_LENGTHS.map(length => comb(length, windowOf))]
}

/** Field multiplications for one point. */
function cost({ kind, windows: parts }: Method, scalars: number): number {
  const entries = parts.reduce((sum, { size }, i) => (kind === 'comb' || i === 0 ? sum + size : sum), 0)
  const bits = parts.reduce((sum, { width }) => sum + width, 0)
  const doublings = kind === 'comb' ? bits : bits * scalars
  return entries * ENTRY + doublings * DOUBLING + (parts.length - 1) * ADDITION * scalars
}
