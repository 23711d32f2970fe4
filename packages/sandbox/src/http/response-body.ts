import type { ServerResponse } from 'node:http'

const CHUNK = Buffer.alloc(64 * 1024, ' ')

/** Sends a JSON response. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))
}

/** Sends `bytes` bytes as fast as the client reads them. Buffers one chunk at most. */
export async function sendBulk(response: ServerResponse, bytes: number): Promise<void> {
  response.setHeader('content-length', bytes)
  for (let remaining = bytes; remaining > 0 && !response.destroyed; remaining -= CHUNK.length) {
    if (!response.write(CHUNK.subarray(0, remaining))) await drained(response)
  }
  response.end()
}

/** Sends one byte every `intervalMs` until the connection closes. */
export function sendSlowly(response: ServerResponse, intervalMs: number): void {
  response.flushHeaders()
  const timer = setInterval(() => response.write(' '), intervalMs)
  response.once('close', () => clearInterval(timer))
}

/** Resolves when the response accepts more data or its connection closes. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const finish = () => {
      response.off('drain', finish).off('close', finish)
      resolve()
    }
    response.once('drain', finish).once('close', finish)
  })
}
