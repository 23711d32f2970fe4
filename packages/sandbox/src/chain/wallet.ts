import { parseAddress } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import type { Pool } from '@zatgate/zcash/note'
import { MAX_MONEY, parsePaymentUri } from '@zatgate/zcash/zip321'
import { type Output, sealActions } from './actions.ts'
import { type Chain, ChainError } from './chain.ts'
import { type SandboxNetwork, walletReceiver } from './keys.ts'
import type { ChainTransaction } from './transaction.ts'

export interface Payment {
  /** ZIP 321 */
  readonly uri: string
  /** zat; default: what the URI asks for */
  readonly amount?: bigint
  /** text or up to 512 bytes; default: what the URI asks for. An empty one means none */
  readonly memo?: string | Uint8Array
}

export interface SendOptions {
  /** default: the pool in which the next block takes payments */
  readonly pool?: Pool
  /** see {@link Chain.add} */
  readonly expiryHeight?: number
}

/** An order the wallet cannot carry out; `field` names what would have to change. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly field: 'uri' | 'amount_zat' | 'memo' | 'pool'

  constructor(field: WalletError['field'], message: string) {
    super(message)
    this.field = field
  }
}

const MEMO_BYTES = 512

/**
 * A wallet with all the coins of the sandbox. It makes transactions as a wallet does: at least two actions, real notes,
 * payment and change in a random order. Only the proofs are missing.
 */
export class Wallet {
  readonly #chain: Chain
  readonly #change: Uint8Array

  constructor(chain: Chain) {
    this.#chain = chain
    this.#change = walletReceiver(chain.seed)
  }

  get network(): SandboxNetwork {
    return this.#chain.network
  }

  /** Pays a ZIP 321 request into the mempool. Throws {@link WalletError} naming what was wrong. */
  pay(payment: Payment, options?: SendOptions): ChainTransaction {
    return this.payTogether([payment], options)
  }

  /** Pays several requests with one transaction. */
  payTogether(payments: readonly Payment[], options?: SendOptions): ChainTransaction {
    return this.send(
      payments.map(payment => outputOf(payment, this.#chain.network)),
      options,
    )
  }

  /** Makes the given notes with one transaction; for payments that no URI can ask for. */
  send(
    outputs: readonly Output[],
    { pool = this.#chain.paymentPool, expiryHeight }: SendOptions = {},
  ): ChainTransaction {
    const actions = sealActions(this.#chain.nextRandom(), pool, outputs, this.#change)
    try {
      return this.#chain.add({ pool, actions, ...(expiryHeight !== undefined && { expiryHeight }) })
    } catch (error) {
      if (error instanceof ChainError && error.field === 'pool') throw new WalletError('pool', error.message)
      throw error
    }
  }

  /**
   * Puts a transaction that left the mempool or its block back into the mempool, unchanged. Throws {@link ChainError}
   * when it is there, is mined, or can no longer be.
   */
  broadcastAgain({ pool, branchId, actions, expiryHeight }: ChainTransaction): void {
    this.#chain.add({ pool, branchId, actions, expiryHeight })
  }
}

function outputOf({ uri, amount, memo }: Payment, own: SandboxNetwork): Output {
  const request = naming('uri', () => parsePaymentUri(uri))
  const { network, orchard } = naming('uri', () => parseAddress(request.address))
  if (network !== own) throw new WalletError('uri', `a ${own} address is needed, this one is of network ${network}`)
  if (orchard === undefined) throw new WalletError('uri', 'the address has no Orchard receiver')
  const value = amount ?? request.amount
  if (value === undefined)
    throw new WalletError('amount_zat', 'the URI asks for no amount, so the payment must name one')
  if (value < 0n || value > MAX_MONEY) throw new WalletError('amount_zat', `must be 0 to ${MAX_MONEY}`)
  const bytes = memoBytes(memo ?? request.memo)
  return { receiver: orchard, value, ...(bytes !== undefined && { memo: bytes }) }
}

function memoBytes(memo: string | Uint8Array | undefined): Uint8Array | undefined {
  const bytes = typeof memo === 'string' ? new TextEncoder().encode(memo) : memo
  if (bytes === undefined || bytes.length === 0) return undefined
  if (bytes.length > MEMO_BYTES)
    throw new WalletError('memo', `is ${bytes.length} bytes long; at most ${MEMO_BYTES} fit`)
  const padded = new Uint8Array(MEMO_BYTES)
  padded.set(bytes)
  return padded
}

function naming<T>(field: WalletError['field'], work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ZcashError) throw new WalletError(field, error.message)
    throw error
  }
}
