import { type Action, action } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import type { World } from '../../world/world.ts'
import type { Merchant } from '../sale/shop.ts'
import { requestAs } from './request.ts'

const INVOICES = `SELECT i.public_id AS id FROM invoices i JOIN accounts a ON a.id = i.account_id
  WHERE a.email = ? AND i.purpose = 'sale'`

/** Beyond every creation time, also by a wrong clock. */
const FAR_FUTURE = 4_000_000_000

/** A merchant exports its invoices, while new ones are created. */
export function exportAction(world: World): Action {
  return action('export invoices', 1, draw => {
    const merchant = draw.pick(world.shop.merchants)
    world.client('export invoices', () => exportInvoices(world, draw, merchant))
    return `${merchant.name} exports its invoices`
  })
}

async function exportInvoices(world: World, draw: Draw, merchant: Merchant): Promise<void> {
  const { shop, databaseReplacements } = world
  const answered = shop.invoices.filter(invoice => invoice.merchant === merchant).map(({ publicId }) => publicId)
  const existing = new Set(committedIds(world, merchant))
  const text = await requestAs(world, draw, merchant, async ({ exports }, account) => {
    const { chunks } = exports.invoices(account, null, 'json', { from: 0, to: FAR_FUTURE })
    let file = ''
    for await (const chunk of chunks) file += chunk
    return file
  })
  if (text === undefined || databaseReplacements !== world.databaseReplacements) return
  // Invoices for plans and deposits belong to the operator; others may have been lost with an older database.
  const before = answered.filter(id => existing.has(id))
  checkExport(world, merchant, { before, exported: idsOf(text), after: committedIds(world, merchant) })
}

/** An export has every invoice of the account that existed before it, each once, and none of another account. */
export function checkExport(
  world: Pick<World, 'fail'>,
  { name }: Pick<Merchant, 'name'>,
  ids: { readonly before: readonly string[]; readonly exported: readonly string[]; readonly after: readonly string[] },
): void {
  const { before, exported, after } = ids
  const rule = 'an export has every invoice of the account once'
  const found = new Set(exported)
  if (found.size !== exported.length) world.fail(rule, `${name}: an invoice appears twice`)
  const missing = before.find(id => !found.has(id))
  if (missing !== undefined) world.fail(rule, `${name}: ${missing} is missing`)
  const known = new Set(after)
  const foreign = exported.find(id => !known.has(id))
  if (foreign !== undefined) world.fail(rule, `${name}: ${foreign} is not an invoice of this account`)
}

function committedIds({ database }: World, { email }: Merchant): string[] {
  return database.committed<{ id: string }>(INVOICES, email).map(({ id }) => id)
}

function idsOf(file: string): string[] {
  return (JSON.parse(file) as { id: string }[]).map(({ id }) => id)
}
