import { readFileSync } from 'node:fs'
import type { Pixels } from './pixels.ts'

export type ImageFormat = 'png' | 'jpeg' | 'webp'

/** Where the decoder of each format has its WebAssembly. */
const WASM = {
  png: '@jsquash/png/codec/pkg/squoosh_png_bg.wasm',
  jpeg: '@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm',
  webp: '@jsquash/webp/codec/dec/webp_dec.wasm',
} as const

/** The types of Node do not contain these. */
const { WebAssembly } = globalThis as unknown as {
  readonly WebAssembly: { readonly Module: new (bytes: Uint8Array) => object }
}

/** The pixels of the decoders, as browsers have them. */
class ImageData implements Pixels {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number

  constructor(data: Uint8ClampedArray, width: number, height: number) {
    this.data = data
    this.width = width
    this.height = height
  }
}

/** The WebAssembly of a decoder. That of PNG encodes too. */
export function compiled(format: ImageFormat): object {
  return new WebAssembly.Module(readFileSync(new URL(import.meta.resolve(WASM[format]))))
}

/** The pixels of an image. @throws when it is damaged */
export async function decode(format: ImageFormat, file: Uint8Array): Promise<Pixels> {
  Object.assign(globalThis, { ImageData })
  // The copy of a Buffer by `slice` would be a view of it.
  const bytes = new Uint8Array(file).buffer
  if (format === 'png') {
    const png = await import('@jsquash/png/decode.js')
    await png.init(compiled(format))
    return png.decode(bytes)
  }
  if (format === 'jpeg') {
    const jpeg = await import('@jsquash/jpeg/decode.js')
    await jpeg.init(compiled(format))
    return jpeg.default(bytes, { preserveOrientation: true })
  }
  const webp = await import('@jsquash/webp/decode.js')
  await webp.init(compiled(format))
  return webp.default(bytes)
}
