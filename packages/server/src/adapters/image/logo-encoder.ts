import { Worker } from 'node:worker_threads'
import { AppError } from '../../domain/error.ts'
import type { LogoEncoder } from '../../ports/logo-encoder.ts'
import { readImageHeader } from './image-header.ts'
import type { LogoJob } from './worker.ts'

/** A larger image, of up to 16 megapixels, takes more memory than a logo is worth. */
const MAX_SIDE_IN = 4_096
const MAX_SIDE_OUT = 512
const MAX_BYTES_OUT = 256 * 1024
const JOB_TIMEOUT_MS = 10_000
/** Callers that wait for the thread. */
const MAX_WAITING = 5
const SCRIPT = new URL('./worker.ts', import.meta.url)

const NOT_AN_IMAGE = 'it must be a PNG, JPEG or WebP image'

const invalidLogo = (detail: string, cause?: unknown) => new AppError('invalid_logo', { detail, cause })

/** Encodes one logo at a time, in a thread that starts with it and ends with it. */
export function createLogoEncoder({ script = SCRIPT, timeoutMs = JOB_TIMEOUT_MS } = {}): LogoEncoder {
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  return {
    async encode(file) {
      const header = readImageHeader(file)
      if (!header || header.width === 0 || header.height === 0) throw invalidLogo(NOT_AN_IMAGE)
      if (Math.max(header.width, header.height) > MAX_SIDE_IN) throw invalidLogo(`at most ${MAX_SIDE_IN} pixels a side`)
      if (waiting === MAX_WAITING) throw new AppError('overloaded', { retryAfterSecs: 5, cause: 'many logos at once' })
      const job = { format: header.format, file, maxSide: MAX_SIDE_OUT, maxBytes: MAX_BYTES_OUT }
      waiting += 1
      const result = last.then(() => runInThread(script, job, timeoutMs))
      last = result
        .catch(() => {})
        .finally(() => {
          waiting -= 1
        })
      return result
    },
  }
}

/** @throws AppError `invalid_logo` when the thread fails or takes too long */
function runInThread(script: URL, workerData: LogoJob, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { env: {}, workerData, stdout: true, stderr: true })
    const end = () => {
      clearTimeout(timer)
      void worker.terminate()
    }
    const timer = setTimeout(() => {
      end()
      reject(invalidLogo('it takes too long to read: send a smaller image'))
    }, timeoutMs)
    const fail = (cause: unknown) => {
      end()
      reject(invalidLogo(`${NOT_AN_IMAGE} that is not damaged`, cause))
    }
    worker.once('message', (image: Uint8Array) => {
      end()
      resolve(image)
    })
    worker.once('messageerror', fail)
    worker.once('error', fail)
    worker.once('exit', code => fail(`the thread exited with code ${code}`))
  })
}
