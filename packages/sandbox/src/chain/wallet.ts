import { parseAddress } from '@zatgate/zcash/address'
import { ZcashError } from '@zatgate/zcash/errors'
import { MEMO_LENGTH } from '@zatgate/zcash/memo'
import type { ShieldedPool } from '@zatgate/zcash/shielded-pool'
import { MAX_MONEY, parsePaymentUri } from '@zatgate/zcash/zip321'
import { createActions, type Output } from './actions.ts'
import type { Chain } from './chain.ts'
import { ChainError } from './error.ts'
import { type SandboxNetwork, walletReceiver } from './keys.ts'
import type { ChainTransaction } from './transaction.ts'

export interface Payment {
  /** ZIP 321 */
  readonly uri: string
  /** zat; default: the amount in the URI */
  readonly amount?: bigint
  /** text or up to 512 bytes; default: the memo in the URI; empty: no memo */
  readonly memo?: string | Uint8Array
}

export interface SendOptions {
  /** default: the pool of payments in the next block */
  readonly pool?: ShieldedPool
  /** see {@link Chain.add} */
  readonly expiryHeight?: number
}

/** A rejected payment. `field` names the invalid argument. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly field: 'uri' | 'amount_zat' | 'memo' | 'pool'

  constructor(field: WalletError['field'], message: string) {
    super(message)
    this.field = field
  }
}

/**
 * A wallet with unlimited coins. Its transactions have at least two actions and real notes, with payments and change in
 * random order. Proofs and signatures are placeholders.
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

  /** Pays a ZIP 321 request and adds the transaction to the mempool. Throws {@link WalletError}. */
  pay(payment: Payment, options?: SendOptions): ChainTransaction {
    return this.payMany([payment], options)
  }

  /** Pays several requests in one transaction. */
  payMany(payments: readonly Payment[], options?: SendOptions): ChainTransaction {
    return this.send(
      payments.map(payment => toOutput(payment, this.#chain.network)),
      options,
    )
  }

  /** Creates the given notes in one transaction, for payments that a URI cannot express. */
  send(
    outputs: readonly Output[],
    { pool = this.#chain.paymentPool, expiryHeight }: SendOptions = {},
  ): ChainTransaction {
    const actions = createActions(this.#chain.nextRandom(), pool, outputs, this.#change)
    try {
      return this.#chain.add({ pool, actions, ...(expiryHeight !== undefined && { expiryHeight }) })
    } catch (error) {
      if (error instanceof ChainError && error.field === 'pool') throw new WalletError('pool', error.message)
      throw error
    }
  }

  /**
   * Returns a transaction that was dropped from the mempool or from a block to the mempool, unchanged.
   * @throws ChainError when it is in the mempool or in a block, or can no longer be mined
   */
  rebroadcast({ pool, branchId, actions, expiryHeight }: ChainTransaction): void {
    this.#chain.add({ pool, branchId, actions, expiryHeight })
  }
}

function toOutput({ uri, amount, memo }: Payment, ownNetwork: SandboxNetwork): Output {
  const request = withWalletError('uri', () => parsePaymentUri(uri))
  const { network, orchard } = withWalletError('uri', () => parseAddress(request.address))
  if (network !== ownNetwork)
    throw new WalletError('uri', `a ${ownNetwork} address is needed; the network of this address is ${network}`)
  if (orchard === undefined) throw new WalletError('uri', 'the address has no Orchard receiver')
  const value = amount ?? request.amount
  if (value === undefined) throw new WalletError('amount_zat', 'the URI has no amount, so the payment must give one')
  if (value < 0n || value > MAX_MONEY) throw new WalletError('amount_zat', `must be 0 to ${MAX_MONEY}`)
  const bytes = memoBytes(memo ?? request.memo)
  return { receiver: orchard, value, ...(bytes !== undefined && { memo: bytes }) }
}

function memoBytes(memo: string | Uint8Array | undefined): Uint8Array | undefined {
  const bytes = typeof memo === 'string' ? new TextEncoder().encode(memo) : memo
  if (bytes === undefined || bytes.length === 0) return undefined
  if (bytes.length > MEMO_LENGTH)
    throw new WalletError('memo', `is ${bytes.length} bytes long; the maximum is ${MEMO_LENGTH}`)
  const padded = new Uint8Array(MEMO_LENGTH)
  padded.set(bytes)
  return padded
}

function withWalletError<T>(field: WalletError['field'], operation: () => T): T {
  try {
    return operation()
  } catch (error) {
    if (error instanceof ZcashError) throw new WalletError(field, error.message)
    throw error
  }
}
