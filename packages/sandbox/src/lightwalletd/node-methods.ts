/** The JSON-RPC methods that lightwalletd calls. */
export const NODE_METHODS = [
  'getbestblockhash',
  'getblock',
  'getblockchaininfo',
  'getinfo',
  'getrawmempool',
  'getrawtransaction',
] as const
export type NodeMethod = (typeof NODE_METHODS)[number]
