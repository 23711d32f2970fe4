import { existsSync, readFileSync } from 'node:fs'
import { formatPaymentUri } from '@zatgate/zcash/zip321'
import type { Wallet } from '../chain/wallet.ts'
import { type Clock, systemClock } from '../clock.ts'
import { SeededRandom } from '../random.ts'
import { replaceFile } from '../replace-file.ts'
import { withBasisPoints } from './amounts.ts'
import { makeQuote, parseQuoteRequest, type QuoteResponse, sign } from './quote.ts'
import { DEFAULT_SETTINGS, type OneClickSettings, ResponseScript, type Tampering } from './script.ts'
import { providerKey, publicKeyText } from './signature.ts'
import { newState, type Swap, type SwapState, statusBody } from './swap.ts'

export interface OneClickOptions {
  readonly wallet: Wallet
  /** the seed of the signing key and of the deposit addresses */
  readonly seed: Uint8Array
  readonly clock?: Clock
  /** path of the swap file; absent: in memory only */
  readonly file?: string
}

/** A transition of a swap on the provider's side. */
export interface SwapTransition {
  /** the new status: one of the provider, or any other text */
  readonly outcome: string
  /** the deposited amount in smallest units; default: the quoted amount, or half of it for INCOMPLETE_DEPOSIT */
  readonly amountIn?: bigint
  /** on SUCCESS: pay the recipient first; default: true */
  readonly deliver?: boolean
}

const MAX_SWAPS = 1000
/** The destination asset of a tampered quote. */
const OTHER_DESTINATION = '1cs_v1:ltc:native:coin'
/** The age of a quote with an old timestamp. */
const OLD_MS = 3_600_000
/** The refund fee, in basis points of the refund. */
const REFUND_FEE_BASIS_POINTS = -10

/** The simulated swap provider without its HTTP server: it creates quotes and applies swap transitions. */
export class OneClick {
  readonly script = new ResponseScript()
  readonly settings: OneClickSettings = { ...DEFAULT_SETTINGS }
  /** `ed25519:<base58>` */
  readonly signingKey: string
  readonly #secretKey: Uint8Array
  readonly #wallet: Wallet
  readonly #clock: Clock
  readonly #seed: Uint8Array
  readonly #file: string | undefined
  /** by deposit address, oldest first */
  readonly #swaps: Map<string, Swap>
  #quoteCount: number

  constructor({ wallet, seed, clock = systemClock, file }: OneClickOptions) {
    this.#secretKey = providerKey(seed)
    this.signingKey = publicKeyText(this.#secretKey)
    this.#wallet = wallet
    this.#clock = clock
    this.#seed = seed
    this.#file = file
    const saved = loadState(file)
    this.#swaps = new Map(saved.swaps.map(swap => [swap.depositAddress, swap]))
    this.#quoteCount = saved.quoted
  }

  /** All swaps, newest first. */
  swaps(): Swap[] {
    return [...this.#swaps.values()].reverse()
  }

  /** Creates a quote. Throws {@link QuoteRequestError} with the messages of the provider for an invalid request. */
  quote(body: Readonly<Record<string, unknown>>): QuoteResponse {
    const nowMs = this.#clock.nowMs()
    const parsed = parseQuoteRequest(body, { nowMs, network: this.#wallet.network })
    const [earlier] = this.swaps()
    if (this.settings.tampering === 'replay' && earlier !== undefined) return earlier.quoteResponse
    const random = new SeededRandom(this.#seed, `quote ${this.#quoteCount++}`)
    const quoteResponse = makeQuote(parsed, { nowMs, random, secretKey: this.#secretKey })
    const { depositAddress, depositMemo = null } = quoteResponse.quote
    if (depositAddress !== undefined) {
      const state = newState(new Date(nowMs).toISOString())
      const pollsUntilVisible = this.settings.pollsUntilVisible
      this.#save({ depositAddress, depositMemo, quoteResponse, state, previous: null, pollsUntilVisible })
    }
    return this.#tamper(quoteResponse, this.settings.tampering)
  }

  /** The body of GET /v0/status; undefined when the provider does not know the address and memo. */
  status(depositAddress: string, depositMemo: string | null) {
    const swap = this.#swaps.get(depositAddress)
    if (swap === undefined || swap.depositMemo !== depositMemo) return undefined
    if (swap.pollsUntilVisible > 0) {
      this.#save({ ...swap, pollsUntilVisible: swap.pollsUntilVisible - 1 })
      return undefined
    }
    if (this.settings.stalePolls > 0 && swap.previous !== null) {
      this.settings.stalePolls--
      return statusBody(swap, swap.previous)
    }
    const { state } = this.#refundIfExpired(swap)
    return statusBody(swap, state)
  }

  /** Sets the status of a swap, whatever its state. Returns undefined when the swap does not exist. */
  drive(depositAddress: string, { outcome, amountIn, deliver = true }: SwapTransition): Swap | undefined {
    const swap = this.#swaps.get(depositAddress)
    if (swap === undefined) return undefined
    if (outcome === 'SUCCESS' && deliver) this.deliver(depositAddress)
    return this.#transition(this.#swaps.get(depositAddress)!, outcome, amountIn)
  }

  /** Pays the recipient on the sandbox chain, shielded and without a memo. Returns the txid; undefined when the swap does not exist. */
  deliver(depositAddress: string): string | undefined {
    const swap = this.#swaps.get(depositAddress)
    if (swap === undefined) return undefined
    const { recipient } = swap.quoteResponse.quoteRequest
    const uri = formatPaymentUri({ address: recipient, amount: BigInt(swap.quoteResponse.quote.amountOut) })
    const { id } = this.#wallet.pay({ uri })
    this.#save({ ...swap, state: { ...swap.state, payoutTxid: id } })
    return id
  }

  /** Adds a deposit. The status becomes PROCESSING when the total is sufficient, INCOMPLETE_DEPOSIT otherwise. */
  deposit(depositAddress: string, amount: bigint): Swap | undefined {
    const swap = this.#swaps.get(depositAddress)
    if (swap === undefined) return undefined
    const total = BigInt(swap.state.deposited ?? 0) + amount
    const enough = total >= BigInt(swap.quoteResponse.quote.minAmountIn)
    return this.#transition(swap, enough ? 'PROCESSING' : 'INCOMPLETE_DEPOSIT', total)
  }

  #transition(swap: Swap, outcome: string, amountIn: bigint | undefined): Swap {
    const state = { ...this.#amounts(swap, outcome, amountIn), status: outcome, updatedAt: this.#timeAfter(swap.state) }
    return this.#save({ ...swap, state, previous: swap.state })
  }

  #amounts(
    { quoteResponse: { quote }, state, depositAddress }: Swap,
    outcome: string,
    amountIn: bigint | undefined,
  ): SwapState {
    const quoted = BigInt(quote.amountIn)
    const already = state.deposited === null ? undefined : BigInt(state.deposited)
    const withDeposit = { ...state, depositTxid: state.depositTxid ?? depositTxid(depositAddress) }
    switch (outcome) {
      case 'PENDING_DEPOSIT':
        return { ...newState(state.updatedAt), payoutTxid: state.payoutTxid }
      case 'INCOMPLETE_DEPOSIT':
        return { ...withDeposit, deposited: (amountIn ?? already ?? quoted / 2n).toString() }
      case 'PROCESSING':
      case 'FAILED':
        return { ...withDeposit, deposited: (amountIn ?? already ?? quoted).toString() }
      case 'SUCCESS': {
        const deposited = amountIn ?? already ?? quoted
        const excess = deposited > quoted ? refundOf(deposited - quoted) : 0n
        return { ...withDeposit, deposited: deposited.toString(), refunded: excess.toString() }
      }
      case 'REFUNDED': {
        const deposited = amountIn ?? already ?? quoted
        const refundReason = deposited < BigInt(quote.minAmountIn) ? 'PARTIAL_DEPOSIT' : 'UNKNOWN'
        return {
          ...withDeposit,
          deposited: deposited.toString(),
          refunded: refundOf(deposited).toString(),
          refundReason,
        }
      }
      default:
        return withDeposit
    }
  }

  /** Refunds an incomplete deposit when its address expires. */
  #refundIfExpired(swap: Swap): Swap {
    const { deadline } = swap.quoteResponse.quote
    const expired = deadline !== undefined && this.#clock.nowMs() >= Date.parse(deadline)
    return swap.state.status === 'INCOMPLETE_DEPOSIT' && expired ? this.#transition(swap, 'REFUNDED', undefined) : swap
  }

  #timeAfter({ updatedAt }: SwapState): string {
    return new Date(Math.max(this.#clock.nowMs(), Date.parse(updatedAt) + 1)).toISOString()
  }

  #tamper(response: QuoteResponse, tampering: Tampering): QuoteResponse {
    const { quote, quoteRequest } = response
    const less = (BigInt(quote.amountOut) - 1n).toString()
    const more = (BigInt(quote.amountIn) + 1n).toString()
    switch (tampering) {
      case 'none':
      case 'replay':
        return response
      case 'recipient':
        return this.#signed({ ...response, quoteRequest: { ...quoteRequest, recipient: quoteRequest.refundTo } })
      case 'refund_to':
        return this.#signed({ ...response, quoteRequest: { ...quoteRequest, refundTo: quoteRequest.recipient } })
      case 'amount':
        return this.#signed({ ...response, quote: { ...quote, amountOut: less, minAmountOut: less } })
      case 'min_amount_in':
        return this.#signed({ ...response, quote: { ...quote, minAmountIn: more } })
      case 'destination_asset':
        return this.#signed({ ...response, quoteRequest: { ...quoteRequest, destinationAsset: OTHER_DESTINATION } })
      case 'deadline':
        return this.#signed({
          ...response,
          quoteRequest: { ...quoteRequest, deadline: secondLater(quoteRequest.deadline) },
        })
      case 'old_timestamp':
        return this.#signed({ ...response, timestamp: new Date(Date.parse(response.timestamp) - OLD_MS).toISOString() })
      case 'signature':
        return { ...response, signature: this.#signed({ ...response, timestamp: new Date(0).toISOString() }).signature }
    }
  }

  #signed(response: QuoteResponse): QuoteResponse {
    return sign(response, this.#secretKey)
  }

  #save(swap: Swap): Swap {
    this.#swaps.set(swap.depositAddress, swap)
    const oldest = this.#swaps.keys().next().value
    if (this.#swaps.size > MAX_SWAPS && oldest !== undefined) this.#swaps.delete(oldest)
    saveState(this.#file, { quoted: this.#quoteCount, swaps: [...this.#swaps.values()] })
    return swap
  }
}

interface SavedState {
  readonly quoted: number
  readonly swaps: readonly Swap[]
}

/** A swap in the file, with the field names of the first version. */
interface SwapRow {
  readonly depositAddress: string
  readonly depositMemo: string | null
  readonly answer: QuoteResponse
  readonly state: SwapState
  readonly previous: SwapState | null
  readonly hiddenLooks: number
}

function loadState(file: string | undefined): SavedState {
  if (file === undefined || !existsSync(file)) return { quoted: 0, swaps: [] }
  const { quoted, swaps } = JSON.parse(readFileSync(file, 'utf8')) as { quoted: number; swaps: SwapRow[] }
  return { quoted, swaps: swaps.map(decodeSwap) }
}

function saveState(file: string | undefined, { quoted, swaps }: SavedState): void {
  if (file === undefined) return
  replaceFile(file, JSON.stringify({ quoted, swaps: swaps.map(encodeSwap) }))
}

function encodeSwap({ quoteResponse, pollsUntilVisible, ...swap }: Swap): SwapRow {
  return { ...swap, answer: quoteResponse, hiddenLooks: pollsUntilVisible }
}

function decodeSwap({ answer: quoteResponse, hiddenLooks, ...swap }: SwapRow): Swap {
  return { ...swap, quoteResponse, pollsUntilVisible: hiddenLooks }
}

function secondLater(deadline: string): string {
  return new Date(Date.parse(deadline) + 1000).toISOString()
}

function refundOf(amount: bigint): bigint {
  return withBasisPoints(amount, REFUND_FEE_BASIS_POINTS)
}

function depositTxid(depositAddress: string): string {
  return Buffer.from(new SeededRandom(new TextEncoder().encode(depositAddress), 'deposit').bytes(32)).toString('hex')
}
