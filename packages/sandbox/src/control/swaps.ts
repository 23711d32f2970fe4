import { boolean, definedFields, integer, invalidField, oneOf, optional, orNull, text } from '../http/fields.ts'
import { get, type JsonRequest, post, RequestError, type Route } from '../http/json-server.ts'
import type { OneClick } from '../oneclick/oneclick.ts'
import {
  DEFAULT_SETTINGS,
  ENDPOINTS,
  type OneClickSettings,
  SCRIPTED_RESPONSES,
  TAMPERINGS,
} from '../oneclick/script.ts'
import { SWAP_STATUSES, type Swap } from '../oneclick/swap.ts'

const COUNT = integer(0, 1_000_000)

/** The routes that drive swaps on the provider's side and set the faults of the provider. */
export function swapRoutes(oneclick: OneClick): Route[] {
  function drive({ params, body }: JsonRequest) {
    const outcome = oneOf(SWAP_STATUSES)(body, 'outcome')
    const details = definedFields({
      amountIn: optional(body, 'amount_in', amount),
      deliver: optional(body, 'deliver', boolean),
    })
    return requireSwap(oneclick.drive(params.deposit_address!, { outcome, ...details }))
  }

  function deposit({ params, body }: JsonRequest) {
    return requireSwap(oneclick.deposit(params.deposit_address!, amount(body, 'amount_in')))
  }

  function deliver({ params }: JsonRequest) {
    return { txid: oneclick.deliver(params.deposit_address!) ?? swapNotFound() }
  }

  function settings({ body }: JsonRequest) {
    const change = definedFields<OneClickSettings>({
      tampering: optional(body, 'tampering', oneOf(TAMPERINGS)),
      pollsUntilVisible: optional(body, 'polls_until_visible', COUNT),
      stalePolls: optional(body, 'stale_polls', COUNT),
      apiKey: optional(body, 'api_key', orNull(text)),
    })
    Object.assign(oneclick.settings, change)
    return providerRow(oneclick)
  }

  function script({ body }: JsonRequest) {
    const endpoint = oneOf(ENDPOINTS)(body, 'endpoint')
    const response = oneOf(SCRIPTED_RESPONSES)(body, 'response')
    const times = optional(body, 'times', COUNT) ?? 1
    oneclick.script.add(endpoint, response, times)
    return { endpoint, response, times }
  }

  function reset() {
    oneclick.script.clear()
    Object.assign(oneclick.settings, DEFAULT_SETTINGS)
    return providerRow(oneclick)
  }

  return [
    get('/swaps', 'The quotes of the swap provider, newest first.', () => oneclick.swaps().map(swapRow)),
    post(
      '/swaps/:deposit_address',
      'Sets the status of a swap; SUCCESS pays the invoice.',
      ['outcome', 'amount_in', 'deliver'],
      drive,
    ),
    post('/swaps/:deposit_address/deposit', 'Adds a deposit to a swap.', ['amount_in'], deposit),
    post(
      '/swaps/:deposit_address/deliver',
      'Pays the recipient of a swap without a change of its status.',
      [],
      deliver,
    ),
    get('/swap-provider', 'The faults of the swap provider.', () => providerRow(oneclick)),
    post(
      '/swap-provider',
      'Sets faults of the swap provider.',
      ['tampering', 'polls_until_visible', 'stale_polls', 'api_key'],
      settings,
    ),
    post(
      '/swap-provider/script',
      'Scripts the next responses of the swap provider.',
      ['endpoint', 'response', 'times'],
      script,
    ),
    post('/swap-provider/reset', 'Removes all faults and scripted responses of the swap provider.', [], reset),
  ]
}

/** An amount in smallest units: an integer, or a string of digits for amounts beyond safe integers. */
function amount(fields: Readonly<Record<string, unknown>>, name: string): bigint {
  const value = fields[name]
  if (typeof value === 'string' && /^\d{1,40}$/.test(value)) return BigInt(value)
  if (Number.isSafeInteger(value) && (value as number) >= 0) return BigInt(value as number)
  throw invalidField(name, 'must be an amount in smallest units, as an integer or as a string of digits')
}

function requireSwap(swap: Swap | undefined) {
  return swapRow(swap ?? swapNotFound())
}

function swapNotFound(): never {
  throw new RequestError(404, 'no_such_swap', 'no quote has this deposit address')
}

function swapRow({ depositAddress, depositMemo, quoteResponse, state }: Swap) {
  const { originAsset, recipient } = quoteResponse.quoteRequest
  const { amountIn, minAmountIn, amountOut } = quoteResponse.quote
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
  const { tampering, pollsUntilVisible, stalePolls, apiKey } = settings
  return {
    signing_key: signingKey,
    tampering,
    polls_until_visible: pollsUntilVisible,
    stale_polls: stalePolls,
    api_key: apiKey,
  }
}
