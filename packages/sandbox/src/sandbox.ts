import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Chain } from './chain.ts'
import type { Clock } from './clock.ts'
import { chainRoutes } from './control-chain.ts'
import { faultRoutes } from './control-faults.ts'
import { mailRoutes } from './control-mail.ts'
import { webhookRoutes } from './control-webhooks.ts'
import { JsonServer } from './json-server.ts'
import { demoViewingKey, operatorViewingKey } from './keys.ts'
import { Lightwalletd } from './lightwalletd.ts'
import { Mailbox } from './mailbox.ts'
import { Wallet } from './wallet.ts'
import { WebhookReceiver } from './webhook-receiver.ts'

export interface SandboxOptions {
  /** where the sandbox keeps its state between starts; absent: in memory only */
  readonly dataDir?: string
  readonly clock?: Clock
  /** 32 bytes; default random, or what the data directory has */
  readonly seed?: Uint8Array
  /** the first block in which payments go to the Ironwood pool; default 0 */
  readonly nu63Height?: number
  /** transactions between strangers in each mined block; default 0 */
  readonly foreignPerBlock?: number
  /** seconds between blocks mined without being asked; default 0: none */
  readonly autoMineSecs?: number
  /** loopback ports; 0 or absent takes a free one */
  readonly ports?: Partial<Record<'control' | 'lightwalletd' | 'smtp' | 'webhooks', number>>
}

export interface Sandbox {
  readonly chain: Chain
  readonly wallet: Wallet
  readonly lightwalletd: Lightwalletd
  readonly mailbox: Mailbox
  readonly webhookReceiver: WebhookReceiver
  /** UFVK of regtest, from the seed */
  readonly demoViewingKey: string
  readonly operatorViewingKey: string
  readonly lightwalletdUrl: string
  readonly smtpUrl: string
  readonly controlUrl: string
  close(): Promise<void>
}

/** Starts the simulated network and its neighbours, all on loopback. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { dataDir, clock, ports = {}, autoMineSecs = 0 } = options
  if (dataDir !== undefined) mkdirSync(dataDir, { recursive: true })
  const stack = new AsyncDisposableStack()
  try {
    const chain = stack.adopt(
      new Chain({ ...options, ...(dataDir !== undefined && { file: join(dataDir, 'sandbox-chain.jsonl') }) }),
      it => it.close(),
    )
    const wallet = new Wallet(chain)
    const lightwalletd = stack.adopt(await Lightwalletd.start(chain, ports.lightwalletd), it => it.close())
    const mailbox = stack.adopt(await Mailbox.start(ports.smtp), it => it.close())
    const webhookReceiver = stack.adopt(
      await WebhookReceiver.start({ port: ports.webhooks ?? 0, ...(clock !== undefined && { clock }) }),
      it => it.close(),
    )
    const routes = [
      ...chainRoutes(chain, wallet, lightwalletd),
      ...faultRoutes(lightwalletd),
      ...mailRoutes(mailbox),
      ...webhookRoutes(webhookReceiver),
    ]
    const control = stack.adopt(await JsonServer.start(routes, ports.control ?? 0), it => it.close())
    if (autoMineSecs > 0) {
      stack.adopt(
        setInterval(() => chain.mine(), autoMineSecs * 1000),
        clearInterval,
      )
    }
    const running = stack.move()
    return {
      chain,
      wallet,
      lightwalletd,
      mailbox,
      webhookReceiver,
      demoViewingKey: demoViewingKey(chain.seed),
      operatorViewingKey: operatorViewingKey(chain.seed),
      lightwalletdUrl: lightwalletd.url,
      smtpUrl: mailbox.url,
      controlUrl: control.url,
      close: () => running.disposeAsync(),
    }
  } finally {
    await stack.disposeAsync()
  }
}
