import { Draw } from '@zatgate/simulation/runtime/draw'
import { compactBlock, Network } from '@zatgate/simulation/world/chain/network'
import { addressAt, notesOf } from '@zatgate/simulation/world/chain/note-scanner'
import { createTransaction } from '@zatgate/simulation/world/chain/wallet'
import type { Block } from '../../../src/domain/chain/chain.ts'
import type { Invoice } from '../../../src/domain/sale/invoice.ts'
import type { DecryptedNote } from '../../../src/ports/note-scanner.ts'

/** The viewing key of the merchant. */
export const VIEWING_KEY = 'uview-merchant'

export interface TestNetworkOptions {
  /** Time of the first block, in Unix seconds. Default 0. */
  readonly time?: number
  /** Height of the last block. Default 0. Blocks are 75 s apart. */
  readonly height?: number
  readonly nu63Height?: number
}

/** The simulation's network, on which all payments are to one merchant. */
export class TestNetwork extends Network {
  readonly #draw = new Draw(1, 'payments')

  constructor({ time = 0, height = 0, nu63Height = 0 }: TestNetworkOptions = {}) {
    super({ time, height, spacingSecs: 75 }, nu63Height)
  }

  /** The best chain from a height on, as servers send it. */
  blocksFrom(height = 0): Block[] {
    return this.branch.slice(height).map(block => compactBlock(block))
  }

  /** Broadcasts a payment. Returns its txid. */
  pay({ diversifierIndex }: Pick<Invoice, 'diversifierIndex'>, valueZat: bigint, expiryHeight = 0): string {
    const outputs = [{ address: addressAt(VIEWING_KEY, diversifierIndex), valueZat }]
    const pool = this.poolAt(this.height + 1)
    const transaction = createTransaction(this.#draw, outputs, { expiryHeight, pool })
    this.broadcast(transaction)
    return transaction.txid
  }

  /** Mines a block with these transactions of the mempool. Returns it as servers send it. */
  mineOnly(txids: readonly string[], time: number): Block {
    const mined = this.mine(
      time,
      txids.flatMap(txid => this.mempool.get(txid) ?? []),
    )
    return compactBlock(mined)
  }

  /** The notes of blocks. @param viewingKeyId the row of the merchant's key */
  notesIn(blocks: readonly Block[], viewingKeyId: number): DecryptedNote[] {
    const mined = blocks.flatMap(({ transactions }) => transactions)
    return this.#notes(mined, viewingKeyId)
  }

  /** The notes of the mempool. @param viewingKeyId the row of the merchant's key */
  mempoolNotes(viewingKeyId: number): DecryptedNote[] {
    return this.#notes([...this.mempool.values()], viewingKeyId)
  }

  #notes(transactions: readonly { readonly txid: string }[], viewingKeyId: number): DecryptedNote[] {
    const known = transactions.flatMap(({ txid }) => this.transactions.get(txid) ?? [])
    return notesOf(known, new Map([[VIEWING_KEY, viewingKeyId]]))
  }
}
