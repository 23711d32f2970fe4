import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { listenError } from '@zatgate/server/http/listen-error'
import { Chain } from './chain/chain.ts'
import { demoViewingKey, operatorViewingKey } from './chain/keys.ts'
import type { ChainOptions } from './chain/options.ts'
import { Wallet } from './chain/wallet.ts'
import { systemClock } from './clock.ts'
import { chainRoutes } from './control/chain.ts'
import { indexRoute } from './control/index.ts'
import { faultRoutes } from './control/lightwalletd.ts'
import { mailRoutes } from './control/mail.ts'
import { rateRoutes } from './control/rates.ts'
import { swapRoutes } from './control/swaps.ts'
import { webhookRoutes } from './control/webhooks.ts'
import { JsonServer, type Route } from './http/json-server.ts'
import { LOOPBACK } from './http/listen.ts'
import type { LightwalletdFaults } from './lightwalletd/faults.ts'
import { Lightwalletd } from './lightwalletd/server.ts'
import { Mailbox } from './mail/mailbox.ts'
import { OneClick } from './oneclick/oneclick.ts'
import { OneClickServer } from './oneclick/server.ts'
import type { SandboxPorts } from './ports.ts'
import { Rates } from './rates.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

export interface SandboxOptions extends Omit<ChainOptions, 'file'> {
  /** the directory of the persistent state; absent: in memory only */
  readonly dataDir?: string
  /** interval of automatic mining, in seconds; default: 0 (off) */
  readonly autoMineSecs?: number
  /** the initial faults of the light-wallet server */
  readonly faults?: Partial<LightwalletdFaults>
  /** loopback ports; 0 or absent: a free port */
  readonly ports?: Partial<SandboxPorts>
}

export interface Sandbox {
  readonly chain: Chain
  readonly wallet: Wallet
  readonly lightwalletd: Lightwalletd
  readonly mailbox: Mailbox
  readonly oneclick: OneClick
  readonly oneclickServer: OneClickServer
  readonly rates: Rates
  readonly webhookReceiver: WebhookReceiver
  /** the viewing key (UFVK) of the merchant, derived from the seed */
  readonly demoViewingKey: string
  /** the viewing key (UFVK) of the operator, derived from the seed */
  readonly operatorViewingKey: string
  readonly controlUrl: string
  readonly lightwalletdUrl: string
  readonly smtpUrl: string
  readonly swapApiUrl: string
  /** the public signing key of the swap provider, `ed25519:<base58>` */
  readonly swapSigningKey: string
  readonly ratesUrl: string
  readonly webhookUrl: string
  /** Stops all servers. The data directory keeps the state. */
  close(): Promise<void>
}

/** Starts the simulated network and the simulated external services on loopback. If one fails to start, stops the others and rejects. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  await using stack = new AsyncDisposableStack()
  const { ports = {}, autoMineSecs = 0 } = options
  const closing = <T extends { close(): unknown }>(part: T): T => stack.adopt(part, async it => void (await it.close()))

  if (options.dataDir !== undefined) mkdirSync(options.dataDir, { recursive: true })
  const clock = options.clock ?? systemClock
  const chain = closing(new Chain({ ...options, ...inDataDir(options, 'sandbox-chain.jsonl') }))
  const wallet = new Wallet(chain)
  const oneclick = new OneClick({ wallet, seed: chain.seed, clock, ...inDataDir(options, 'sandbox-swaps.json') })
  const lightwalletd = closing(await Lightwalletd.start(chain, ports.lightwalletd, options.faults))
  const mailbox = closing(await Mailbox.start(ports.smtp))
  const oneclickServer = closing(await OneClickServer.start(oneclick, { clock, port: ports.swaps ?? 0 }))
  const rates = closing(await Rates.start(ports.rates, clock))
  const webhookReceiver = closing(await WebhookReceiver.start({ clock, port: ports.webhooks ?? 0 }))
  const routes = [
    ...chainRoutes(chain, wallet, lightwalletd),
    ...faultRoutes(lightwalletd),
    ...mailRoutes(mailbox),
    ...swapRoutes(oneclick),
    ...webhookRoutes(webhookReceiver),
    ...rateRoutes(rates),
  ]
  const control = closing(await startControl([indexRoute(routes), ...routes], ports.control ?? 0))
  if (autoMineSecs > 0) {
    const mining = setInterval(() => chain.mine(), autoMineSecs * 1000)
    stack.defer(() => clearInterval(mining))
  }

  const running = stack.move()
  return {
    chain,
    wallet,
    lightwalletd,
    mailbox,
    oneclick,
    oneclickServer,
    rates,
    webhookReceiver,
    demoViewingKey: demoViewingKey(chain.seed, chain.network),
    operatorViewingKey: operatorViewingKey(chain.seed, chain.network),
    controlUrl: control.url,
    lightwalletdUrl: lightwalletd.url,
    smtpUrl: mailbox.url,
    swapApiUrl: oneclickServer.url,
    swapSigningKey: oneclick.signingKey,
    ratesUrl: rates.url,
    webhookUrl: webhookReceiver.url,
    close: () => running.disposeAsync(),
  }
}

/** @throws Error that names the setting of the port */
async function startControl(routes: readonly Route[], port: number): Promise<JsonServer> {
  try {
    return await JsonServer.start(routes, port)
  } catch (error) {
    throw listenError(error, { name: 'SANDBOX_PORT', port, host: LOOPBACK })
  }
}

function inDataDir({ dataDir }: SandboxOptions, name: string): { file: string } | undefined {
  return dataDir === undefined ? undefined : { file: join(dataDir, name) }
}
