import { systemClock } from '../adapters/clock.ts'
import { createLightwalletd } from '../adapters/lightwalletd.ts'
import { createLogger } from '../adapters/logger.ts'
import { systemRandom } from '../adapters/random.ts'
import { createVault } from '../adapters/vault.ts'
import { createViewer } from '../adapters/viewer.ts'
import type { Config } from '../config.ts'
import { nu63HeightOf } from '../domain/chain.ts'
import type { Store } from '../ports.ts'
import { createReassess } from '../services/assessment.ts'
import { createPayments } from '../services/payments.ts'
import { createWatchKeys } from '../services/watch-keys.ts'
import { rescan as readAgain } from '../workers/rescan.ts'
import { type Command, needed, readArguments, WrongUse } from './command.ts'
import { withStore } from './store.ts'

export const rescan: Command = {
  name: 'rescan',
  usage: 'rescan --from HEIGHT',
  summary: 'reads the chain again and records the payments that were missed; changes nothing else',
  async run(args, { out, config }) {
    const text = needed(readArguments(args, ['from'], 0).values.from, '--from')
    if (!/^\d{1,10}$/.test(text)) throw new WrongUse('--from is a height')
    const settings = config()
    if (settings.sandbox) throw new Error('a rescan needs NETWORK and LIGHTWALLETD_URL')
    const from = Number(text)
    const { to, found } = await withStore(settings, store => read(settings, store, from, out.note))
    out.result({ from, to, found }, [`read blocks ${from} to ${to} again: ${found} invoices changed`])
    return 0
  },
}

async function read(config: Config, store: Store, from: number, note: (line: string) => void) {
  const { network, lightwalletdUrls: urls } = config
  const nu63Height = nu63HeightOf(network, config.sandboxNu63Height)
  const log = createLogger('warn')
  const vault = createVault(config.encryptionKeys, systemRandom)
  await using stack = new AsyncDisposableStack()
  const closing = <T extends { close(): Promise<void> }>(part: T): T => stack.adopt(part, it => it.close())
  return readAgain(
    {
      chain: closing(createLightwalletd({ urls, network, nu63Height, clock: systemClock, log })),
      viewer: closing(createViewer({ log })),
      payments: createPayments({ store, reassess: createReassess(), clock: systemClock, log, nu63Height }),
      keys: createWatchKeys({ store, vault }),
      onProgress: (height, to) => note(`block ${height} of ${to}`),
    },
    from,
    new AbortController().signal,
  )
}
