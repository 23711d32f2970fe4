import type { ImageFormat } from './codec.ts'

/** The format and size that the first bytes of an image declare, before anything decodes it. */
export interface ImageHeader {
  readonly format: ImageFormat
  readonly width: number
  readonly height: number
}

/** The format and the size of an image. Null for anything but a PNG, JPEG or WebP image with a readable header. */
export function readImageHeader(file: Uint8Array): ImageHeader | null {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  try {
    return readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes)
  } catch {
    // A read beyond the end.
    return null
  }
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** PNG specification, 5.2 and 11.2.1: the signature, then the chunk IHDR. */
function readPng(bytes: Buffer): ImageHeader | null {
  if (!bytes.subarray(0, 8).equals(PNG_SIGNATURE) || bytes.toString('latin1', 12, 16) !== 'IHDR') return null
  return { format: 'png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Start of frame markers, without DHT, JPG and DAC, which have numbers between them (ITU T.81, table B.1). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** ITU T.81, B.2: segments up to the frame header. Bytes between them are refused: a decoder may find another frame there. */
function readJpeg(bytes: Buffer): ImageHeader | null {
  if (bytes.readUInt16BE(0) !== 0xffd8) return null
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) return null
    const marker = bytes.readUInt8(at + 1)
    if (isFrame(marker))
      return { format: 'jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    // A fill byte, which belongs to no segment.
    if (marker === 0xff) at += 1
    else if (marker >= 0xc0) at += 2 + bytes.readUInt16BE(at + 2)
    else return null
  }
}

/** WebP container specification: RIFF, then the lossy, lossless or extended form. */
function readWebp(bytes: Buffer): ImageHeader | null {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP') return null
  const format = 'webp'
  const size14 = (bits: number) => (bits & 0x3fff) + 1
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { format, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { format, width: size14(bits), height: size14(bits >>> 14) }
    }
    case 'VP8X':
      return { format, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}
