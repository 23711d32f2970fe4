import { readFileSync } from 'node:fs'
import {
  createViewingTool,
  type SeenMemo,
  type SeenPayment,
  type ViewingTool,
} from '../../adapters/zcash/viewing-tool.ts'
import { invalidField } from '../../domain/error.ts'
import { decimalZec } from '../../domain/payment-uri.ts'
import { type Command, needed, readArguments, WrongUse } from '../command.ts'
import { noteExpiry } from './key-expiry.ts'

export const open: Command = {
  name: 'open',
  usage: 'open --viewing-key K (--tx HEX | --blocks FILE)',
  summary: 'shows the payments that a key sees in a raw transaction, or in compact blocks',
  async run(args, { out }) {
    const { values } = readArguments(args, ['viewing-key', 'tx', 'blocks'], 0)
    const key = needed(values['viewing-key'], '--viewing-key')
    const { tx, blocks } = values
    if ((tx === undefined) === (blocks === undefined)) throw new WrongUse('give either --tx or --blocks')
    const tool = createViewingTool(key)
    noteExpiry(tool, out)
    const payments = tx === undefined ? inBlocks(tool, needed(blocks, '--blocks')) : inTransaction(tool, tx)
    out.result(payments.map(record), payments.length === 0 ? ['no payments'] : payments.flatMap(describe))
    return 0
  },
}

function inTransaction(tool: ViewingTool, hex: string): SeenPayment[] {
  if (!/^([0-9a-f]{2})+$/i.test(hex)) throw invalidField('tx', 'is not hex')
  return tool.openTransaction(Buffer.from(hex, 'hex'))
}

function inBlocks(tool: ViewingTool, file: string): SeenPayment[] {
  const blocks = readBlocks(file).sort(([a], [b]) => Number(a) - Number(b))
  return blocks.flatMap(([, encoded]) => tool.openBlock(Buffer.from(encoded, 'base64')))
}

/** `{"blocks": {"<height>": "<base64 CompactBlock>"}}`; members beside `blocks` are nobody's concern. */
function readBlocks(file: string): [string, string][] {
  const { blocks } = readJson(file) as { blocks?: unknown }
  const entries = typeof blocks === 'object' && blocks !== null ? Object.entries(blocks) : []
  for (const [height, encoded] of entries) {
    if (!/^\d{1,10}$/.test(height) || typeof encoded !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded))
      throw invalidField('blocks', 'every member of "blocks" is a height with a compact block in base64')
  }
  if (entries.length === 0) throw invalidField('blocks', 'the file has no object "blocks" with blocks in it')
  return entries as [string, string][]
}

function readJson(file: string): object {
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

function record({ txid, pool, action, amountZat, diversifierIndex, address, memo }: SeenPayment) {
  return {
    txid,
    pool,
    action,
    amount_zat: amountZat,
    diversifier_index: diversifierIndex,
    address,
    ...(memo === undefined ? {} : { memo: memoText(memo) }),
  }
}

/** Bytes that are no text are shown as `0x…`. */
function memoText(memo: SeenMemo): string | null {
  if (memo === null) return null
  return 'text' in memo ? memo.text : `0x${memo.hex}`
}

function describe(payment: SeenPayment): string[] {
  const { txid, pool, action, amountZat, diversifierIndex, address, memo } = payment
  return [
    `${decimalZec(amountZat)} ZEC (${amountZat} zat)`,
    `  transaction        ${txid}, ${pool} action ${action}`,
    `  diversifier index  ${diversifierIndex}`,
    `  address            ${address}`,
    ...(memo === undefined ? [] : [`  memo               ${memo === null ? 'none' : JSON.stringify(memoText(memo))}`]),
  ]
}
