import { createViewingTool } from '../../adapters/zcash/viewing-tool.ts'
import { type Command, needed, readArguments, WrongUse } from '../command.ts'
import { noteExpiry } from './key-expiry.ts'

export const address: Command = {
  name: 'address',
  usage: 'address --viewing-key K --index N',
  summary: 'shows the address at a diversifier index',
  async run(args, { out }) {
    const { values } = readArguments(args, ['viewing-key', 'index'], 0)
    const key = needed(values['viewing-key'], '--viewing-key')
    const text = needed(values.index, '--index')
    if (!/^\d{1,27}$/.test(text)) throw new WrongUse('--index is a whole number from 0 to 2^88 - 1')
    const index = BigInt(text)
    const tool = createViewingTool(key)
    noteExpiry(tool, out)
    const shown = tool.address(index)
    out.result({ address: shown, diversifier_index: index }, [shown])
    return 0
  },
}
