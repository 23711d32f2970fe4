import { boolean, integer, invalidField, oneOf, optional, orNull, text } from '../http/fields.ts'
import { type JsonRequest, RequestError, type Route } from '../http/json-server.ts'
import type { OneClick } from '../oneclick/oneclick.ts'
import { ANSWERS, ENDPOINTS, FAITHFUL, TAMPERINGS } from '../oneclick/script.ts'
import { SWAP_STATUSES, type Swap } from '../oneclick/swap.ts'

const COUNT = integer(0, 1_000_000)

/** The calls that drive the provider's side of swaps, and those that make the provider misbehave. */
export function swapRoutes(oneclick: OneClick): Route[] {
  function drive({ params, body }: JsonRequest) {
    const outcome = oneOf(SWAP_STATUSES)(body, 'outcome')
    const amountIn = optional(body, 'amount_in', amount)
    const deliver = optional(body, 'deliver', boolean)
    return found(
      oneclick.drive(params.deposit_address!, {
        outcome,
        ...(amountIn !== undefined && { amountIn }),
        ...(deliver !== undefined && { deliver }),
      }),
    )
  }

  function settings({ body }: JsonRequest) {
    const change = {
      tampering: optional(body, 'tampering', oneOf(TAMPERINGS)),
      hiddenLooks: optional(body, 'hidden_looks', COUNT),
      staleLooks: optional(body, 'stale_looks', COUNT),
      apiKey: optional(body, 'api_key', orNull(text)),
    }
    Object.assign(
      oneclick.settings,
      Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
    )
    return providerRow(oneclick)
  }

  function script({ body }: JsonRequest) {
    const endpoint = oneOf(ENDPOINTS)(body, 'endpoint')
    const answer = oneOf(ANSWERS)(body, 'answer')
    const times = optional(body, 'times', COUNT) ?? 1
    oneclick.script.add(endpoint, answer, times)
    return { endpoint, answer, times }
  }

  function reset() {
    oneclick.script.clear()
    Object.assign(oneclick.settings, FAITHFUL)
    return providerRow(oneclick)
  }

  return [
    { method: 'GET', path: '/swaps', handle: () => oneclick.swaps().map(swapRow) },
    { method: 'POST', path: '/swaps/:deposit_address', fields: ['outcome', 'amount_in', 'deliver'], handle: drive },
    {
      method: 'POST',
      path: '/swaps/:deposit_address/deposit',
      fields: ['amount_in'],
      handle: ({ params, body }) => found(oneclick.deposit(params.deposit_address!, amount(body, 'amount_in'))),
    },
    {
      method: 'POST',
      path: '/swaps/:deposit_address/deliver',
      fields: [],
      handle: ({ params }) => ({ txid: oneclick.deliver(params.deposit_address!) ?? noSuchSwap() }),
    },
    { method: 'GET', path: '/swap-provider', handle: () => providerRow(oneclick) },
    {
      method: 'POST',
      path: '/swap-provider',
      fields: ['tampering', 'hidden_looks', 'stale_looks', 'api_key'],
      handle: settings,
    },
    { method: 'POST', path: '/swap-provider/script', fields: ['endpoint', 'answer', 'times'], handle: script },
    { method: 'POST', path: '/swap-provider/reset', fields: [], handle: reset },
  ]
}

/** Smallest units: an integer, or digits where a number would not hold them. */
function amount(fields: Readonly<Record<string, unknown>>, name: string): bigint {
  const value = fields[name]
  if (typeof value === 'string' && /^\d{1,40}$/.test(value)) return BigInt(value)
  if (Number.isSafeInteger(value) && (value as number) >= 0) return BigInt(value as number)
  throw invalidField(name, 'must be an amount in smallest units, as an integer or as a string of digits')
}

function found(swap: Swap | undefined) {
  return swapRow(swap ?? noSuchSwap())
}

function noSuchSwap(): never {
  throw new RequestError(404, 'no_such_swap', 'no quote has this deposit address')
}

function swapRow({ depositAddress, depositMemo, answer, state }: Swap) {
  const { originAsset, recipient } = answer.quoteRequest
  const { amountIn, minAmountIn, amountOut } = answer.quote
  return {
    deposit_address: depositAddress,
    deposit_memo: depositMemo,
    origin_asset: originAsset,
    recipient,
    amount_in: amountIn,
    min_amount_in: minAmountIn,
    amount_out: amountOut,
    status: state.status,
    deposited: state.deposited,
    refunded: state.refunded,
    payout_txid: state.payoutTxid,
    updated_at: state.updatedAt,
  }
}

function providerRow({ settings, signingKey }: OneClick) {
  const { tampering, hiddenLooks, staleLooks, apiKey } = settings
  return { signing_key: signingKey, tampering, hidden_looks: hiddenLooks, stale_looks: staleLooks, api_key: apiKey }
}
