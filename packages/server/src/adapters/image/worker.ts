/** Thread that encodes one logo, and ends with it: the decoders hold tens of megabytes. */
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { type Pixels, shrink } from './pixels.ts'

/** The file and its format, by which the thread is started. */
export interface LogoJob {
  readonly format: 'png' | 'jpeg' | 'webp'
  readonly file: Uint8Array
  readonly maxSide: number
  readonly maxBytes: number
}

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

function compiled(format: LogoJob['format']): object {
  return new WebAssembly.Module(readFileSync(new URL(import.meta.resolve(WASM[format]))))
}

async function decode({ format, file }: LogoJob): Promise<Pixels> {
  const bytes = file.slice().buffer
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

async function encode(job: LogoJob): Promise<Uint8Array> {
  Object.assign(globalThis, { ImageData })
  const decoded = await decode(job)
  const png = await import('@jsquash/png/encode.js')
  await png.init(compiled('png'))
  for (let side = job.maxSide; ; side = Math.floor(side * 0.75)) {
    const image = shrink(decoded, side)
    const bytes = new Uint8Array(await png.default(image))
    if (bytes.length <= job.maxBytes) return bytes
  }
}

parentPort!.postMessage(await encode(workerData as LogoJob))
