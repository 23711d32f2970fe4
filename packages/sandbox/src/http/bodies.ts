import type { ServerResponse } from 'node:http'

const CHUNK = Buffer.alloc(64 * 1024, ' ')

/** Sends so many bytes as fast as they are taken, without holding more than a chunk of them. */
export async function pour(response: ServerResponse, bytes: number): Promise<void> {
  response.setHeader('content-length', bytes)
  for (let left = bytes; left > 0 && !response.destroyed; left -= CHUNK.length) {
    if (!response.write(CHUNK.subarray(0, left))) await drained(response)
  }
  response.end()
}

/** Sends one byte at a time and never ends. */
export function drip(response: ServerResponse, intervalMs: number): void {
  response.flushHeaders()
  const timer = setInterval(() => response.write(' '), intervalMs)
  response.once('close', () => clearInterval(timer))
}

/** Resolves when more may be written, or when there is nobody left to write to. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.once('drain', go).once('close', go)
  })
}
