import { createViewingKeyTool } from '../../adapters/zcash/viewing-tool.ts'
import type { Command } from '../command.ts'
import { parseArguments, requireValue, UsageError } from '../usage.ts'
import { reportKeyExpiry } from './viewing-key-expiry.ts'

export const address: Command = {
  name: 'address',
  usage: 'address --viewing-key K --index N',
  summary: 'prints the address at a diversifier index',
  async run(args, { out }) {
    const { values } = parseArguments(args, ['viewing-key', 'index'], 0)
    const key = requireValue(values['viewing-key'], '--viewing-key')
    const text = requireValue(values.index, '--index')
    if (!/^\d{1,27}$/.test(text)) throw new UsageError('--index must be a whole number from 0 to 2^88 - 1')
    const index = BigInt(text)
    const tool = createViewingKeyTool(key)
    reportKeyExpiry(tool, out)
    const derived = tool.deriveAddress(index)
    out.result({ address: derived, diversifier_index: index }, [derived])
    return 0
  },
}
