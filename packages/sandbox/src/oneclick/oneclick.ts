import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { makePaymentUri } from '@zatgate/zcash/zip321'
import type { Wallet } from '../chain/wallet.ts'
import { type Clock, systemClock } from '../clock.ts'
import { SeededRandom } from '../random.ts'
import { withBasisPoints } from './amounts.ts'
import { makeQuote, type QuoteAnswer, readQuoteRequest, sign } from './quote.ts'
import { FAITHFUL, type OneClickSettings, Script, type Tampering } from './script.ts'
import { providerKey, publicKeyText } from './signature.ts'
import { newState, type Swap, type SwapState, statusBody } from './swap.ts'

export interface OneClickOptions {
  readonly wallet: Wallet
  /** makes the signing key and the deposit addresses */
  readonly seed: Uint8Array
  readonly clock?: Clock
  /** where the swaps are kept; absent: in memory only */
  readonly file?: string
}

/** What the provider's side of a swap does next. */
export interface Move {
  /** one of the provider's statuses, or any other word */
  readonly outcome: string
  /** what the buyer sent, in smallest units; default: what was asked, or half of it for INCOMPLETE_DEPOSIT */
  readonly amountIn?: bigint
  /** on SUCCESS: pay the recipient first; default true */
  readonly deliver?: boolean
}

const MAX_SWAPS = 1000
/** What a quote with another destination asset pays out. */
const OTHER_DESTINATION = '1cs_v1:ltc:native:coin'
/** The age of a quote with an old timestamp. */
const OLD_MS = 3_600_000
/** What a refund costs, in basis points of it. */
const REFUND_FEE_BASIS_POINTS = -10

/** The swap provider without its HTTP: quotes, and swaps that go where they are driven. */
export class OneClick {
  readonly script = new Script()
  readonly settings: OneClickSettings = { ...FAITHFUL }
  /** `ed25519:<base58>` */
  readonly signingKey: string
  readonly #secretKey: Uint8Array
  readonly #wallet: Wallet
  readonly #clock: Clock
  readonly #seed: Uint8Array
  readonly #file: string | undefined
  /** by deposit address, oldest first */
  readonly #swaps: Map<string, Swap>
  #quoted: number

  constructor({ wallet, seed, clock = systemClock, file }: OneClickOptions) {
    this.#secretKey = providerKey(seed)
    this.signingKey = publicKeyText(this.#secretKey)
    this.#wallet = wallet
    this.#clock = clock
    this.#seed = seed
    this.#file = file
    const kept = load(file)
    this.#swaps = new Map(kept.swaps.map(swap => [swap.depositAddress, swap]))
    this.#quoted = kept.quoted
  }

  /** Newest first. */
  swaps(): Swap[] {
    return [...this.#swaps.values()].reverse()
  }

  /** Throws {@link QuoteRefusal}, in the provider's words, for a request that it would not take. */
  quote(body: Readonly<Record<string, unknown>>): QuoteAnswer {
    const nowMs = this.#clock.nowMs()
    const read = readQuoteRequest(body, { nowMs, network: this.#wallet.network })
    const [earlier] = this.swaps()
    if (this.settings.tampering === 'replay' && earlier !== undefined) return earlier.answer
    const random = new SeededRandom(this.#seed, `quote ${this.#quoted++}`)
    const answer = makeQuote(read, { nowMs, random, secretKey: this.#secretKey })
    const { depositAddress, depositMemo = null } = answer.quote
    if (depositAddress !== undefined) {
      const state = newState(new Date(nowMs).toISOString())
      const { hiddenLooks } = this.settings
      this.#keep({ depositAddress, depositMemo, answer, state, previous: null, hiddenLooks })
    }
    return this.#tamper(answer, this.settings.tampering)
  }

  /** The body of GET /v0/status, or undefined where the provider would know nothing of the address with that memo. */
  status(depositAddress: string, depositMemo: string | null) {
    const swap = this.#swaps.get(depositAddress)
    if (swap === undefined || swap.depositMemo !== depositMemo) return undefined
    if (swap.hiddenLooks > 0) {
      this.#keep({ ...swap, hiddenLooks: swap.hiddenLooks - 1 })
      return undefined
    }
    if (this.settings.staleLooks > 0 && swap.previous !== null) {
      this.settings.staleLooks--
      return statusBody(swap, swap.previous)
    }
    const { state } = this.#refundIfTooLate(swap)
    return statusBody(swap, state)
  }

  /** Drives a swap to an outcome, whatever its state was. Undefined: no such swap. */
  drive(depositAddress: string, { outcome, amountIn, deliver = true }: Move): Swap | undefined {
    const swap = this.#swaps.get(depositAddress)
    if (swap === undefined) return undefined
    if (outcome === 'SUCCESS' && deliver) this.deliver(depositAddress)
    return this.#become(this.#swaps.get(depositAddress)!, outcome, amountIn)
  }

  /** Pays the recipient on the sandbox chain, as a bridge does: shielded, without a memo. Gives the txid. */
  deliver(depositAddress: string): string | undefined {
    const swap = this.#swaps.get(depositAddress)
    if (swap === undefined) return undefined
    const { recipient } = swap.answer.quoteRequest
    const uri = makePaymentUri({ address: recipient, amount: BigInt(swap.answer.quote.amountOut) })
    const { id } = this.#wallet.pay({ uri })
    this.#keep({ ...swap, state: { ...swap.state, payoutTxid: id } })
    return id
  }

  /** A buyer's deposit, or a top-up: enough by now is PROCESSING, less is INCOMPLETE_DEPOSIT. */
  deposit(depositAddress: string, amount: bigint): Swap | undefined {
    const swap = this.#swaps.get(depositAddress)
    if (swap === undefined) return undefined
    const total = BigInt(swap.state.deposited ?? 0) + amount
    const enough = total >= BigInt(swap.answer.quote.minAmountIn)
    return this.#become(swap, enough ? 'PROCESSING' : 'INCOMPLETE_DEPOSIT', total)
  }

  #become(swap: Swap, outcome: string, amountIn: bigint | undefined): Swap {
    const state = { ...this.#amounts(swap, outcome, amountIn), status: outcome, updatedAt: this.#laterThan(swap.state) }
    return this.#keep({ ...swap, state, previous: swap.state })
  }

  #amounts(
    { answer: { quote }, state, depositAddress }: Swap,
    outcome: string,
    amountIn: bigint | undefined,
  ): SwapState {
    const asked = BigInt(quote.amountIn)
    const already = state.deposited === null ? undefined : BigInt(state.deposited)
    const seen = { ...state, depositTxid: state.depositTxid ?? depositTxid(depositAddress) }
    switch (outcome) {
      case 'PENDING_DEPOSIT':
        return { ...newState(state.updatedAt), payoutTxid: state.payoutTxid }
      case 'INCOMPLETE_DEPOSIT':
        return { ...seen, deposited: (amountIn ?? already ?? asked / 2n).toString() }
      case 'PROCESSING':
      case 'FAILED':
        return { ...seen, deposited: (amountIn ?? already ?? asked).toString() }
      case 'SUCCESS': {
        const deposited = amountIn ?? already ?? asked
        const excess = deposited > asked ? refundOf(deposited - asked) : 0n
        return { ...seen, deposited: deposited.toString(), refunded: excess.toString() }
      }
      case 'REFUNDED': {
        const deposited = amountIn ?? already ?? asked
        const refundReason = deposited < BigInt(quote.minAmountIn) ? 'PARTIAL_DEPOSIT' : 'UNKNOWN'
        return { ...seen, deposited: deposited.toString(), refunded: refundOf(deposited).toString(), refundReason }
      }
      default:
        return seen
    }
  }

  /** An incomplete deposit goes back when the address stops working. */
  #refundIfTooLate(swap: Swap): Swap {
    const { deadline } = swap.answer.quote
    const tooLate = deadline !== undefined && this.#clock.nowMs() >= Date.parse(deadline)
    return swap.state.status === 'INCOMPLETE_DEPOSIT' && tooLate ? this.#become(swap, 'REFUNDED', undefined) : swap
  }

  #laterThan({ updatedAt }: SwapState): string {
    return new Date(Math.max(this.#clock.nowMs(), Date.parse(updatedAt) + 1)).toISOString()
  }

  #tamper(answer: QuoteAnswer, tampering: Tampering): QuoteAnswer {
    const { quote, quoteRequest } = answer
    const less = (BigInt(quote.amountOut) - 1n).toString()
    const more = (BigInt(quote.amountIn) + 1n).toString()
    switch (tampering) {
      case 'none':
      case 'replay':
        return answer
      case 'recipient':
        return this.#signed({ ...answer, quoteRequest: { ...quoteRequest, recipient: quoteRequest.refundTo } })
      case 'refund_to':
        return this.#signed({ ...answer, quoteRequest: { ...quoteRequest, refundTo: quoteRequest.recipient } })
      case 'amount':
        return this.#signed({ ...answer, quote: { ...quote, amountOut: less, minAmountOut: less } })
      case 'min_amount_in':
        return this.#signed({ ...answer, quote: { ...quote, minAmountIn: more } })
      case 'destination_asset':
        return this.#signed({ ...answer, quoteRequest: { ...quoteRequest, destinationAsset: OTHER_DESTINATION } })
      case 'deadline':
        return this.#signed({
          ...answer,
          quoteRequest: { ...quoteRequest, deadline: secondLater(quoteRequest.deadline) },
        })
      case 'old_timestamp':
        return this.#signed({ ...answer, timestamp: new Date(Date.parse(answer.timestamp) - OLD_MS).toISOString() })
      case 'signature':
        return { ...answer, signature: this.#signed({ ...answer, timestamp: new Date(0).toISOString() }).signature }
    }
  }

  #signed(answer: QuoteAnswer): QuoteAnswer {
    return sign(answer, this.#secretKey)
  }

  #keep(swap: Swap): Swap {
    this.#swaps.set(swap.depositAddress, swap)
    const oldest = this.#swaps.keys().next().value
    if (this.#swaps.size > MAX_SWAPS && oldest !== undefined) this.#swaps.delete(oldest)
    save(this.#file, { quoted: this.#quoted, swaps: [...this.#swaps.values()] })
    return swap
  }
}

interface Kept {
  readonly quoted: number
  readonly swaps: readonly Swap[]
}

function load(file: string | undefined): Kept {
  if (file === undefined || !existsSync(file)) return { quoted: 0, swaps: [] }
  return JSON.parse(readFileSync(file, 'utf8')) as Kept
}

/** Whole or not at all. */
function save(file: string | undefined, kept: Kept): void {
  if (file === undefined) return
  writeFileSync(`${file}.new`, JSON.stringify(kept), { mode: 0o600 })
  renameSync(`${file}.new`, file)
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
