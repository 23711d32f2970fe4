import { readFileSync } from 'node:fs'
import {
  createViewingKeyTool,
  type DecryptedMemo,
  type DecryptedPayment,
  type ViewingKeyTool,
} from '../../adapters/zcash/viewing-tool.ts'
import { invalidField } from '../../domain/error.ts'
import { formatZec } from '../../domain/money.ts'
import { UsageError } from '../argument.ts'
import type { Output } from '../output.ts'
import { readViewingKey, type ViewingKeyArguments } from '../viewing-key.ts'
import { reportKeyExpiry } from './viewing-key-expiry.ts'

export async function open(
  {
    tx,
    blocks,
    ...key
  }: ViewingKeyArguments & { readonly tx: string | undefined; readonly blocks: string | undefined },
  out: Output,
): Promise<void> {
  const text = readViewingKey(key)
  if ((tx === undefined) === (blocks === undefined)) throw new UsageError('give either --tx or --blocks')
  const tool = createViewingKeyTool(text)
  reportKeyExpiry(tool, out)
  const payments = tx === undefined ? paymentsInBlocks(tool, blocks as string) : paymentsInTransaction(tool, tx)
  out.result(payments.map(toJson), payments.length === 0 ? ['no payments'] : payments.flatMap(describe))
}

function paymentsInTransaction(tool: ViewingKeyTool, hex: string): DecryptedPayment[] {
  if (!/^([0-9a-f]{2})+$/i.test(hex)) throw invalidField('tx', 'is not hex')
  return tool.decryptTransaction(Buffer.from(hex, 'hex'))
}

function paymentsInBlocks(tool: ViewingKeyTool, file: string): DecryptedPayment[] {
  const blocks = parseBlocks(file).sort(([a], [b]) => Number(a) - Number(b))
  return blocks.flatMap(([, encoded]) => tool.decryptBlock(Buffer.from(encoded, 'base64')))
}

/** Parses `{"blocks": {"<height>": "<base64 CompactBlock>"}}`; other members are ignored. */
function parseBlocks(file: string): [string, string][] {
  const { blocks } = parseJsonFile(file) as { blocks?: unknown }
  const entries = typeof blocks === 'object' && blocks !== null ? Object.entries(blocks) : []
  for (const [height, encoded] of entries) {
    if (!/^\d{1,10}$/.test(height) || typeof encoded !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded))
      throw invalidField('blocks', 'each member of "blocks" must be a height and a compact block in base64')
  }
  if (entries.length === 0) throw invalidField('blocks', 'the file has no "blocks" object, or it is empty')
  return entries as [string, string][]
}

function parseJsonFile(file: string): object {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw invalidField('blocks', `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`)
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {}
  throw invalidField('blocks', 'the file is not JSON')
}

function toJson({ txid, pool, actionIndex, amountZat, diversifierIndex, address, memo }: DecryptedPayment) {
  return {
    txid,
    pool,
    action: actionIndex,
    amount_zat: amountZat,
    diversifier_index: diversifierIndex,
    address,
    ...(memo === undefined ? {} : { memo: memoText(memo) }),
  }
}

/** Memos that are not text are printed as `0x…`. */
function memoText(memo: DecryptedMemo): string | null {
  if (memo === null) return null
  return 'text' in memo ? memo.text : `0x${memo.hex}`
}

function describe(payment: DecryptedPayment): string[] {
  const { txid, pool, actionIndex, amountZat, diversifierIndex, address, memo } = payment
  return [
    `${formatZec(amountZat)} ZEC (${amountZat} zat)`,
    `  transaction        ${txid}, ${pool} action ${actionIndex}`,
    `  diversifier index  ${diversifierIndex}`,
    `  address            ${address}`,
    ...(memo === undefined ? [] : [`  memo               ${memo === null ? 'none' : JSON.stringify(memoText(memo))}`]),
  ]
}
