import { createHttpClient } from '../../adapters/http-client/client.ts'
import type { HttpClient } from '../../ports/http-client.ts'

/** Lends a client for services that the operator configured: it connects to any address. */
export async function withHttpClient<T>(use: (http: HttpClient) => Promise<T>): Promise<T> {
  const http = createHttpClient({ allowPrivate: true })
  try {
    return await use(http)
  } finally {
    http.close()
  }
}
