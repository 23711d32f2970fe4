/** Thread that encodes one logo, and ends with it: the decoders hold tens of megabytes. */
import { parentPort, workerData } from 'node:worker_threads'
import { compiled, decode, type ImageFormat } from './codec.ts'
import { shrink } from './pixels.ts'

/** The file and its format, by which the thread is started. */
export interface LogoJob {
  readonly format: ImageFormat
  readonly file: Uint8Array
  readonly maxSide: number
  readonly maxBytes: number
}

async function encode(job: LogoJob): Promise<Uint8Array> {
  const decoded = await decode(job.format, job.file)
  const png = await import('@jsquash/png/encode.js')
  await png.init(compiled('png'))
  for (let side = job.maxSide; ; side = Math.floor(side * 0.75)) {
    const image = shrink(decoded, side)
    const bytes = new Uint8Array(await png.default(image))
    if (bytes.length <= job.maxBytes) return bytes
  }
}

parentPort!.postMessage(await encode(workerData as LogoJob))
