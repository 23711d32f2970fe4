import { setTimeout as sleep } from 'node:timers/promises'
import { Chain } from '@zatgate/sandbox/chain/chain'
import { Lightwalletd } from '@zatgate/sandbox/lightwalletd/server'
import { CONTENTS, HostileChainServer } from './hostile-chain-server.ts'
import { printFigure, printReads, withTarget } from './target.ts'

const BLOCKS = 110
const ATTACK_MS = 15_000

/** A chain server that fills its messages with objects, beside an honest one: compared with it, or followed before it. */
for (const place of ['compared', 'followed'] as const) {
  const chain = new Chain({ seed: new Uint8Array(32).fill(1) })
  chain.mine(BLOCKS)
  const honest = await Lightwalletd.start(chain)
  const hostile = new HostileChainServer(chain.height)
  const urls = [honest.url, await hostile.start()]
  const env = { ROLES: 'api,watcher', LIGHTWALLETD_URL: (place === 'compared' ? urls : urls.reverse()).join() }
  await withTarget(async target => {
    for (const [name, content, mempool] of CONTENTS) {
      const harm = await target.harmOf(async () => {
        Object.assign(hostile, { content, mempool, sent: 0 })
        await sleep(ATTACK_MS)
        hostile.content = null
      })
      const attack = `a ${place} chain server sends ${name} (${hostile.sent} blocks)`
      printFigure(`${attack}: memory grows by`, harm.memoryMb, { below: 150 }, 'MB')
      printReads(harm, 50)
    }
  }, env)
  await hostile.close()
  await honest.close()
  await chain.close()
}
