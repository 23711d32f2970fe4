import {
  boolean,
  branchId,
  definedFields,
  either,
  integer,
  oneOf,
  optional,
  orNull,
  type Parser,
  someOf,
  text,
  txids,
} from '../http/fields.ts'
import { get, type JsonRequest, post, type Route } from '../http/json-server.ts'
import type { LightwalletdFaults } from '../lightwalletd/faults.ts'
import { NODE_METHODS } from '../lightwalletd/node-methods.ts'
import type { Lightwalletd } from '../lightwalletd/server.ts'

const COUNT = integer(0, 1_000_000)

/** The fault fields of the control API and their parsers. */
const PARSERS = {
  hang: boolean,
  unavailable: COUNT,
  aborted: COUNT,
  internal: COUNT,
  repairing: boolean,
  cut_stream_after: orNull(COUNT),
  omit_action: boolean,
  hide_ironwood: boolean,
  lag_blocks: COUNT,
  chain_name: orNull(text),
  reverse_latest_hash: boolean,
  garbage: oneOf(['none', 'bytes', 'fields']),
  end_mempool_at_once: boolean,
  forget_transactions: boolean,
  frozen: boolean,
  hide_mempool: either(boolean, txids, 'true, false or an array of transaction ids'),
  mempool_cache_ms: COUNT,
  block_cache_ms: COUNT,
  node_down: boolean,
  node_fails: someOf(NODE_METHODS),
  mempool_fails: boolean,
  stops_at_height: orNull(integer(1, 0xffff_ffff)),
  branch_id: orNull(branchId),
  estimated_height: orNull(integer(0, 0xffff_ffff)),
  protocol_version: text,
} satisfies Record<string, Parser<unknown>>

const ENTRIES = Object.entries<Parser<unknown>>(PARSERS)
const NAMES = Object.keys(PARSERS)

/** The routes that show and set the faults of the light-wallet server. An absent field keeps its value. */
export function faultRoutes(lightwalletd: Lightwalletd): Route[] {
  const state = () => Object.fromEntries(NAMES.map(name => [name, lightwalletd.faults[propertyName(name)]]))

  async function set({ body }: JsonRequest) {
    const changes = ENTRIES.map(([name, parse]) => [propertyName(name), optional(body, name, parse)] as const)
    await lightwalletd.setFaults(definedFields(Object.fromEntries(changes)))
    return state()
  }

  return [
    get('/faults', 'The faults of the light-wallet server.', state),
    post('/faults', 'Sets faults of the light-wallet server.', NAMES, set),
  ]
}

function propertyName(name: string): keyof LightwalletdFaults {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as keyof LightwalletdFaults
}
