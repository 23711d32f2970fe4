import { decodeQR } from 'qr/decode.js'
import { decode } from '../../src/adapters/image/codec.ts'
import type { Pixels } from '../../src/adapters/image/pixels.ts'

/** A QR code as a reader sees it. */
export interface ReadCode {
  readonly text: string
  /** The width of the narrowest side, in modules. */
  readonly quietZone: number
  readonly isDarkOnLight: boolean
}

/** The finder patterns at three corners are seven modules wide (ISO/IEC 18004). */
const FINDER_MODULES = 7

/**
 * Reads the only QR code in a screenshot of it, with another library than the one that encodes it.
 * @param screenshot PNG, with nothing else than the code and what is around it
 * @throws when it cannot be read
 */
export async function readQrCode(screenshot: Uint8Array): Promise<ReadCode> {
  const pixels = await decode('png', screenshot)
  const { left, top, right, bottom } = darkBox(pixels)
  let finder = left
  while (isDark(pixels, finder, top)) finder += 1
  const module = (finder - left) / FINDER_MODULES
  const margin = Math.min(left, top, pixels.width - 1 - right, pixels.height - 1 - bottom)
  return { text: decodeQR(pixels), quietZone: margin / module, isDarkOnLight: !isDark(pixels, left - 2, top - 2) }
}

/** Pixels around the code that a screenshot of it may have: it has whole ones. */
const EDGE = 3
/** The share of the width that rounded corners may have, less than the quiet zone. */
const CORNER = 0.05

/** The smallest box around all dark pixels, without the corners and the outermost pixels, which may show the ground. */
function darkBox(pixels: Pixels) {
  const isAtEnd = (at: number, length: number, share: number) => Math.min(at, length - 1 - at) < share
  const box = { left: pixels.width, top: pixels.height, right: 0, bottom: 0 }
  for (let y = 0; y < pixels.height; y++)
    for (let x = 0; x < pixels.width; x++) {
      const isNear = (share: number) => [isAtEnd(x, pixels.width, share), isAtEnd(y, pixels.height, share)]
      if (!isDark(pixels, x, y) || isNear(EDGE).includes(true) || !isNear(CORNER * pixels.width).includes(false))
        continue
      box.left = Math.min(box.left, x)
      box.right = Math.max(box.right, x)
      box.top = Math.min(box.top, y)
      box.bottom = Math.max(box.bottom, y)
    }
  return box
}

function isDark({ data, width }: Pixels, x: number, y: number): boolean {
  const at = (y * width + x) * 4
  return (data[at] ?? 255) + (data[at + 1] ?? 255) + (data[at + 2] ?? 255) < 3 * 128
}
