import { crc32, deflateSync } from 'node:zlib'

/** A PNG chunk: its length, type, data and checksum. */
function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(body), 4)
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)])
}

/** A PNG image of one colour. @param extra chunks before the pixels @param rows those that it has; others are missing */
export function makePng(
  width: number,
  height: number,
  { colour = [200, 30, 30, 255], extra = [], rows = height }: PngOptions = {},
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  const row = Buffer.alloc(1 + width * 4)
  for (let x = 0; x < width; x++) row.set(typeof colour === 'function' ? colour() : colour, 1 + x * 4)
  const pixels = Buffer.concat(
    Array.from({ length: rows }, () => {
      if (typeof colour === 'function') for (let x = 0; x < width; x++) row.set(colour(), 1 + x * 4)
      return Buffer.from(row)
    }),
  )
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...extra.map(([type, text]) => chunk(type, Buffer.from(text))),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

interface PngOptions {
  readonly colour?: readonly number[] | (() => readonly number[])
  readonly extra?: readonly (readonly [type: string, text: string])[]
  readonly rows?: number
}
