import type { Chain } from '../chain/chain.ts'
import { ChainError } from '../chain/error.ts'
import { type Wallet, WalletError } from '../chain/wallet.ts'
import { boolean, definedFields, integer, invalidField, oneOf, optional, text, txids } from '../http/fields.ts'
import { get, type JsonRequest, post, type Route } from '../http/json-server.ts'
import type { Lightwalletd } from '../lightwalletd/server.ts'

/** Mining more blocks would take minutes. */
const MAX_BLOCKS = 10_000

/** The routes of the chain and the wallet. */
export function chainRoutes(chain: Chain, wallet: Wallet, lightwalletd: Lightwalletd): Route[] {
  function pay({ body }: JsonRequest) {
    const uri = text(body, 'uri')
    const amount = optional(body, 'amount_zat', integer(0, Number.MAX_SAFE_INTEGER))
    const details = definedFields({
      amount: amount === undefined ? undefined : BigInt(amount),
      memo: optional(body, 'memo', text),
    })
    const options = definedFields({ pool: optional(body, 'pool', oneOf(['orchard', 'ironwood'])) })
    return { txid: withInvalidField(() => wallet.pay({ uri, ...details }, options)).id }
  }

  function mine({ body }: JsonRequest) {
    return { height: chain.mine(integer(1, MAX_BLOCKS)(body, 'blocks')) }
  }

  function reorg({ body }: JsonRequest) {
    const depth = integer(1, MAX_BLOCKS)(body, 'depth')
    const drop = optional(body, 'drop', txids) ?? []
    return { height: withInvalidField(() => chain.reorg({ depth, drop })) }
  }

  async function setDown({ body }: JsonRequest) {
    await lightwalletd.setFaults({ down: boolean(body, 'down') })
    return state()
  }

  function state() {
    return {
      height: chain.height,
      mempool: chain.mempool().map(({ id }) => id),
      nu63_height: chain.nu63Height,
      nu7_height: chain.nu7Height,
      down: lightwalletd.faults.down,
      running: lightwalletd.running,
    }
  }

  return [
    post(
      '/pay',
      "Pays a ZIP 321 request from the sandbox's wallet into the mempool.",
      ['uri', 'amount_zat', 'memo', 'pool'],
      pay,
    ),
    post('/mine', 'Mines the mempool into one block, then empty blocks.', ['blocks'], mine),
    post('/reorg', 'Replaces the last blocks by empty ones.', ['depth', 'drop'], reorg),
    post('/chain', 'Stops or resumes the light-wallet server.', ['down'], setDown),
    get('/chain', 'The height, the mempool, and whether the light-wallet server runs.', state),
  ]
}

function withInvalidField<T>(operation: () => T): T {
  try {
    return operation()
  } catch (error) {
    if (error instanceof WalletError || error instanceof ChainError) throw invalidField(error.field, error.message)
    throw error
  }
}
