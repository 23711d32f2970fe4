import { createViewingKeyTool } from '../../adapters/zcash/viewing-tool.ts'
import type { Command } from '../command.ts'
import { parseArguments, requireValue, UsageError } from '../usage.ts'
import { readViewingKey } from '../viewing-key.ts'
import { reportKeyExpiry } from './viewing-key-expiry.ts'

export const address: Command = {
  name: 'address',
  usage: 'address --viewing-key-file FILE --index N',
  summary: 'prints the address at a diversifier index',
  arguments: [
    ['--viewing-key-file FILE', 'a file with the unified viewing key; `-` reads it from standard input'],
    ['--viewing-key K', 'the key itself, which the shell history and other users of the machine can see'],
    ['--index N', 'the diversifier index, from 0 to 2^88 - 1'],
  ],
  example: 'address --viewing-key-file key.txt --index 7',
  async run(args, { out }) {
    const { values } = parseArguments(args, ['viewing-key', 'viewing-key-file', 'index'], 0)
    const key = readViewingKey(values)
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
