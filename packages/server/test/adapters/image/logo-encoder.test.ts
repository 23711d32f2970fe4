import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { readImageHeader } from '../../../src/adapters/image/image-header.ts'
import { createLogoEncoder } from '../../../src/adapters/image/logo-encoder.ts'
import { AppError } from '../../../src/domain/error.ts'
import { makePng } from './images.ts'

const { encode } = createLogoEncoder()

/** 24 × 12 pixels, half red and half blue, as Chromium writes them. */
const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoMDAsKCwsNDhIQDQ4RDgsLEBYQERMUFRUVDA8XGBYUGBIUFRT/2wBDAQMEBAUEBQkFBQkUDQsNFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBT/wAARCAAMABgDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABgAH/8QAGBABAAMBAAAAAAAAAAAAAAAAAAZEgsL/xAAVAQEBAAAAAAAAAAAAAAAAAAAIAf/EABsRAAEFAQEAAAAAAAAAAAAAAAACBDaCswYH/9oADAMBAAIRAxEAPwDAhSdUd8lYpOqO+U82lTS+axQ9/GnVNEBRJHIDk//Z',
  'base64',
)
const WEBP = Buffer.from(
  'UklGRgwCAABXRUJQVlA4WAoAAAAgAAAAFwAACwAASUNDUMgBAAAAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABhY3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAABUAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAAAAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9YWVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAMZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADZWUDhMHQAAAC8XwAIADzAe91C9FfL8RwuEBIQH/q+VPYjofyQfAA==',
  'base64',
)

const invalid = (error: unknown) => error instanceof AppError && error.code === 'invalid_logo'

/** The types of the chunks of a PNG. */
function chunksOf(png: Uint8Array): string[] {
  const bytes = Buffer.from(png)
  const types: string[] = []
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    types.push(bytes.toString('latin1', at + 4, at + 8))
  return types
}

test('PNG, JPEG and WebP come out as PNG of the same size', async () => {
  for (const file of [makePng(24, 12), JPEG, WEBP]) {
    const { width, height } = readImageHeader(file) ?? assert.fail()
    assert.deepEqual(readImageHeader(await encode(file)), { format: 'png', width, height })
    assert.deepEqual([width, height], [24, 12])
  }
})

test('a larger image is made smaller, to 512 pixels a side, and further until it has 256 KB', async () => {
  assert.deepEqual(readImageHeader(await encode(makePng(2_048, 1_000))), { format: 'png', width: 512, height: 250 })
  assert.deepEqual(readImageHeader(await encode(makePng(4_096, 1))), { format: 'png', width: 512, height: 1 })
  const noise = () => [randomInt(256), randomInt(256), randomInt(256), 255]
  const image = await encode(makePng(512, 512, { colour: noise }))
  assert.ok(image.length <= 256 * 1024)
  const { width = 0 } = readImageHeader(image) ?? {}
  assert.ok(width > 200 && width < 512)
})

test('nothing but pixels comes out: no text, no metadata, nothing after the image', async () => {
  const script = '<script>alert(document.domain)</script>'
  const polyglot = Buffer.concat([
    makePng(8, 8, {
      extra: [
        ['tEXt', `Comment\0${script}`],
        ['eXIf', script],
        ['iTXt', `XML\0\0\0\0\0<svg>${script}`],
      ],
    }),
    Buffer.from(`<html>${script}`),
  ])
  const image = await encode(polyglot)
  assert.ok(!Buffer.from(image).includes('script'))
  assert.deepEqual([...new Set(chunksOf(image))], ['IHDR', 'IDAT', 'IEND'])
  const jpeg = Buffer.concat([
    JPEG.subarray(0, 2),
    segment(0xe1, `Exif\0\0${script}`),
    segment(0xfe, script),
    JPEG.subarray(2),
  ])
  assert.ok(!Buffer.from(await encode(jpeg)).includes('script'))
})

/** A segment of a JPEG. */
function segment(marker: number, text: string): Buffer {
  const length = text.length + 2
  return Buffer.concat([Buffer.from([0xff, marker, length >> 8, length & 0xff]), Buffer.from(text, 'latin1')])
}

test('a file that is no image is refused before a thread starts, and a damaged image by the thread', async () => {
  // This thread would accept everything.
  const accepting = createLogoEncoder({ script: new URL('data:text/javascript,') })
  const files = [
    '',
    'GIF89a',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8',
    '\xff\xd8\xff\xe0\0\x04ab<html>\xff\xc0\0\x0b\x08\0\x01\0\x01',
    'RIFF\0\0\0\0WEBPVP8?',
  ]
  for (const file of files) await assert.rejects(accepting.encode(Buffer.from(file, 'latin1')), invalid)
  for (const [width, height] of [
    [0, 4],
    [4_097, 1],
    [1, 4_097],
    [0xffff_ffff, 0xffff_ffff],
  ] as const)
    await assert.rejects(accepting.encode(makePng(1, 1).fill(sized(width, height), 16, 24)), invalid)
  for (const damaged of [makePng(300, 300, { rows: 3 }), makePng(9, 9).subarray(0, 45), JPEG.subarray(0, 200)])
    await assert.rejects(encode(damaged), invalid)
})

function sized(width: number, height: number): Buffer {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width)
  size.writeUInt32BE(height, 4)
  return size
}

test('a thread that takes too long is ended, and the next image has its turn', async () => {
  const script = new URL('data:text/javascript,setInterval(() => {}, 1e6)')
  const stuck = createLogoEncoder({ script, timeoutMs: 50 })
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => stuck.encode(makePng(1, 1))))
  assert.ok(results.every(result => result.status === 'rejected'))
  const codes = results.map(result => (result.status === 'rejected' ? (result.reason as AppError).code : ''))
  assert.deepEqual(codes.toSorted(), [...Array(5).fill('invalid_logo'), 'overloaded'])
  await assert.rejects(stuck.encode(makePng(1, 1)), invalid, 'the queue is empty again')
})
