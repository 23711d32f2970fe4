import { createViewingKeyTool } from '../../adapters/zcash/viewing-tool.ts'
import type { Output } from '../output.ts'
import { readViewingKey, type ViewingKeyArguments } from '../viewing-key.ts'
import { reportKeyExpiry } from './viewing-key-expiry.ts'

export async function address(
  { index, ...values }: ViewingKeyArguments & { readonly index: bigint },
  out: Output,
): Promise<void> {
  const tool = createViewingKeyTool(readViewingKey(values))
  reportKeyExpiry(tool, out)
  const derived = tool.deriveAddress(index)
  out.result({ address: derived, diversifier_index: index }, [derived])
}
