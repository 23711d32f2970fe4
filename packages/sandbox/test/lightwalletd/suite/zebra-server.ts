import { setTimeout as delay } from 'node:timers/promises'
import { loadRecording, type Recording } from '../../../../zcash/test/recording.ts'
import { startRecordedZebra } from '../../recorded/recorded-zebra.ts'
import { RecordedTip, toExpectedBlock } from './recorded-blocks.ts'
import { type ChainServer, Connections } from './server-under-test.ts'

/** Starts zebrad with the recorded chain. Its own server has no cache, so it never has to poll. */
export async function startZebraServer(startHeight: number): Promise<ChainServer> {
  await using stack = new AsyncDisposableStack()
  const recording = loadRecording()
  const tip = new RecordedTip(recording, startHeight)
  const zebra = stack.adopt(await startRecordedZebra(recording), it => it.close())
  await zebra.setTip(tip.height, tip.branch)
  const connections = stack.adopt(new Connections(), it => it.close())
  const parts = stack.move()
  return {
    client: connections.connect(zebra.url),
    get height() {
      return tip.height
    },
    block: height => toExpectedBlock(tip.block(height)),
    // zebrad refuses the later ones: their anchors are not on the chain yet.
    unmined: tip.unmined().filter(({ txid }) => sentAt(recording, txid) === startHeight),
    async mine() {
      tip.height += 1
      await zebra.setTip(tip.height, tip.branch)
    },
    async reorganise() {
      tip.branch = 'main'
      tip.height += 1
      await zebra.setTip(tip.height, tip.branch)
    },
    setMempool: txids => zebra.setMempool(txids),
    polled: async () => undefined,
    pass: ms => delay(ms),
    connect: () => connections.connect(zebra.url),
    close: () => parts.disposeAsync(),
  }
}

function sentAt({ transactions }: Recording, txid: string): number | undefined {
  return transactions.find(transaction => transaction.txid === txid)?.after_height
}
