/** The first bytes of a stream. */
export interface ReadBytes {
  /** At most the requested number. */
  readonly bytes: Buffer
  /** Whether the stream had more bytes. */
  readonly truncated: boolean
}

/** Reads a stream to its end and returns its first `maxBytes` bytes; drops the rest. Rejects when the stream fails. */
export async function readBytes(stream: AsyncIterable<Buffer>, maxBytes: number): Promise<ReadBytes> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    if (length < maxBytes) chunks.push(chunk.subarray(0, maxBytes - length))
    length += chunk.length
  }
  return { bytes: Buffer.concat(chunks), truncated: length > maxBytes }
}
