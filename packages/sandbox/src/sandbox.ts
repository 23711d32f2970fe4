import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Chain } from './chain/chain.ts'
import { demoViewingKey, operatorViewingKey, type SandboxNetwork } from './chain/keys.ts'
import { Wallet } from './chain/wallet.ts'
import { type Clock, systemClock } from './clock.ts'
import { chainRoutes } from './control/chain.ts'
import { faultRoutes } from './control/faults.ts'
import { mailRoutes } from './control/mail.ts'
import { rateRoutes } from './control/rates.ts'
import { swapRoutes } from './control/swaps.ts'
import { webhookRoutes } from './control/webhooks.ts'
import { JsonServer } from './http/json-server.ts'
import type { LightwalletdFaults } from './lightwalletd/faults.ts'
import { Lightwalletd } from './lightwalletd/server.ts'
import { Mailbox } from './mail/mailbox.ts'
import { OneClick } from './oneclick/oneclick.ts'
import { OneClickServer } from './oneclick/server.ts'
import { Rates } from './rates.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

export interface SandboxOptions {
  /** where the sandbox keeps its state between starts; absent: in memory only */
  readonly dataDir?: string
  readonly clock?: Clock
  /** 32 bytes; default random, or what the data directory has */
  readonly seed?: Uint8Array
  /** which network is simulated; default regtest */
  readonly network?: SandboxNetwork
  /** the first block in which payments go to the Ironwood pool; default the network's own, see {@link Chain} */
  readonly nu63Height?: number
  /** the first block of NU7, null: it never comes; default the network's own, see {@link Chain} */
  readonly nu7Height?: number | null
  /** transactions between strangers in each mined block; default 0 */
  readonly foreignPerBlock?: number
  /** seconds between blocks mined without being asked; default 0: none */
  readonly autoMineSecs?: number
  /** what the light-wallet server does differently from the start */
  readonly faults?: Partial<LightwalletdFaults>
  /** loopback ports; 0 or absent takes a free one */
  readonly ports?: Partial<Record<'control' | 'lightwalletd' | 'smtp' | 'swaps' | 'webhooks' | 'rates', number>>
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
  /** UFVK, from the seed: the merchant's */
  readonly demoViewingKey: string
  /** UFVK, from the seed: that of the one who runs the service */
  readonly operatorViewingKey: string
  readonly controlUrl: string
  readonly lightwalletdUrl: string
  readonly smtpUrl: string
  readonly swapApiUrl: string
  /** `ed25519:<base58>`: what the swap provider signs with */
  readonly swapSigningKey: string
  readonly ratesUrl: string
  readonly webhookUrl: string
  /** Stops everything; what is kept stays in the data directory. */
  close(): Promise<void>
}

/** Starts the simulated network and its neighbours, all on loopback. What failed to start takes the rest down again. */
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
  const rates = closing(await Rates.start(ports.rates))
  const webhookReceiver = closing(await WebhookReceiver.start({ clock, port: ports.webhooks ?? 0 }))
  const routes = [
    ...chainRoutes(chain, wallet, lightwalletd),
    ...faultRoutes(lightwalletd),
    ...mailRoutes(mailbox),
    ...swapRoutes(oneclick),
    ...webhookRoutes(webhookReceiver),
    ...rateRoutes(rates),
  ]
  const control = closing(await JsonServer.start(routes, ports.control ?? 0))
  if (autoMineSecs > 0)
    stack.adopt(
      setInterval(() => chain.mine(), autoMineSecs * 1000),
      clearInterval,
    )

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

function inDataDir({ dataDir }: SandboxOptions, name: string): { file: string } | undefined {
  return dataDir === undefined ? undefined : { file: join(dataDir, name) }
}
