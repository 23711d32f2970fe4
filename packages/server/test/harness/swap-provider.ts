import { Chain } from '@zatgate/sandbox/chain/chain'
import { Wallet } from '@zatgate/sandbox/chain/wallet'
import { OneClick } from '@zatgate/sandbox/oneclick/oneclick'
import { OneClickServer } from '@zatgate/sandbox/oneclick/server'
import { createHttpClient } from '../../src/adapters/http-client/client.ts'
import { createOneClick } from '../../src/adapters/oneclick/provider.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { HttpClient, HttpRequest } from '../../src/ports/http-client.ts'
import type { SwapProvider } from '../../src/ports/swap-provider.ts'
import type { TestScope } from './container.ts'

/** The sandbox's provider over HTTP, with a client. */
export interface TestProvider {
  readonly oneclick: OneClick
  readonly server: OneClickServer
  readonly provider: SwapProvider
  /** Requests sent by the client, oldest first. */
  readonly sent: readonly HttpRequest[]
}

export interface TestProviderOptions {
  readonly clock: Clock
  /** The client's clock, if it differs from the provider's. */
  readonly clientClock?: Pick<Clock, 'nowMs'>
  readonly apiKey?: string
  /** The chain that receives its payments. Absent: a chain that is not observed. */
  readonly wallet?: Wallet
}

export async function startProvider(t: TestScope, options: TestProviderOptions): Promise<TestProvider> {
  const { clock, apiKey } = options
  const chain = new Chain({ seed: new Uint8Array(32).fill(5), clock })
  const oneclick = new OneClick({ wallet: options.wallet ?? new Wallet(chain), seed: chain.seed, clock })
  const server = await OneClickServer.start(oneclick, { clock })
  const sent: HttpRequest[] = []
  const http = withShortTimeout(sent)
  const provider = createOneClick({
    http,
    apiUrl: server.url,
    apiKey: apiKey ?? null,
    signingKey: oneclick.signingKey,
    clock: options.clientClock ?? clock,
  })
  t.after(async () => {
    http.close()
    await server.close()
    chain.close()
  })
  return { oneclick, server, provider, sent }
}

/** Uses a short timeout, so that tests of missing responses are fast. */
function withShortTimeout(sent: HttpRequest[]): HttpClient {
  const http = createHttpClient({ allowPrivate: true })
  return {
    send(request) {
      sent.push(request)
      return http.send({ ...request, deadlineMs: 400 })
    },
    close: () => http.close(),
  }
}
