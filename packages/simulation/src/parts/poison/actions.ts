import { type Action, action, fault } from '../../run/part.ts'
import type { Draw } from '../../runtime/draw.ts'
import { passTime } from '../../world/passage.ts'
import { pay } from '../../world/payment.ts'
import type { PoisonedRow, PoisonKind } from '../../world/poison.ts'
import type { World } from '../../world/world.ts'
import { requestAs } from '../operator/request.ts'
import { type KnownInvoice, LONGEST_SECS, short } from '../sale/shop.ts'

/** More rows at once could be a fault of the database. */
const MAX_ROWS = 3

/** How long a delivery is waited for, in short turns. */
const MAX_TURNS = 200
const TURN_MS = 50

const INVOICES = "SELECT public_id AS reference FROM invoices WHERE purpose = 'sale' ORDER BY id DESC LIMIT 6"
const PAYEES = `SELECT public_id AS reference, lower(hex(fingerprint)) AS keyReference FROM invoices
  JOIN viewing_keys ON viewing_key_id = viewing_keys.id WHERE purpose = 'sale' ORDER BY invoices.id DESC LIMIT 6`
const DELIVERIES = `SELECT public_id AS reference FROM deliveries WHERE due_at_ms IS NOT NULL ORDER BY id DESC LIMIT 6`
const KEYS = `SELECT DISTINCT lower(hex(fingerprint)) AS reference, sealed FROM viewing_keys
  JOIN accounts ON viewing_key_id = viewing_keys.id WHERE length(sealed) > 0 AND email LIKE 'merchant-%'`
const ENDPOINTS = 'SELECT public_id AS reference, secret AS sealed FROM endpoints WHERE removed_at IS NULL'
const WEBHOOKS = "SELECT account_id || ' ' || created_at AS reference, secret AS sealed FROM webhooks"

interface Candidate {
  readonly reference: string
  readonly sealed?: Uint8Array
  readonly keyReference?: string
}

/** Rows that the service cannot process for a while. */
export function poisonActions(world: World): readonly Action[] {
  const { poison, shop } = world
  const hasWebhooks = world.setup.parts.includes('webhook')

  /** @param among references of the candidates. Default: all */
  function addPoison(
    draw: Draw,
    kind: PoisonKind,
    sql: string,
    among: readonly string[] | null = null,
  ): PoisonedRow | undefined {
    if (poison.rows.length >= MAX_ROWS) return undefined
    const candidates = world.database.committed<Candidate>(sql)
    const healthy = candidates.filter(({ reference }) => !poison.isPoisoned(kind, reference))
    // Of secrets, one at least must open: the service does not start with a wrong encryption key.
    if (healthy.length < (candidates[0]?.sealed ? 2 : 1)) return undefined
    const chosen = among ? healthy.filter(({ reference }) => among.includes(reference)) : healthy
    if (chosen.length === 0) return undefined
    const { reference, sealed = null, keyReference } = draw.pick(chosen)
    const row = { kind, reference, sealed, ...(keyReference !== undefined && { keyReference }) }
    poison.add(row)
    return row
  }

  /** A merchant enters its viewing key again. */
  function enterKeyAgain(draw: Draw): string {
    const merchant = draw.pick(shop.merchants)
    const key = merchant.viewingKeys.at(-1)!
    world.client('enter the viewing key again', () =>
      requestAs(world, draw, merchant, ({ viewingKeys }, account) => viewingKeys.set(account, key)),
    )
    return `${merchant.name} enters the viewing key ${key} again`
  }

  function poisonKey(draw: Draw): string | undefined {
    const row = addPoison(draw, 'scan_key', KEYS)
    if (!row) return undefined
    // A running process has it open.
    world.restartAll()
    return `the viewing key ${short(row.reference)} does not open any more; all processes are started again`
  }

  /** Each merchant creates an invoice. */
  async function createInvoices(draw: Draw): Promise<readonly KnownInvoice[]> {
    const before = shop.invoices.length
    for (const merchant of shop.merchants)
      world.client('create invoice', () => shop.requestInvoice(draw, merchant, 3, { secs: LONGEST_SECS }))
    await world.runFor(2_000)
    return shop.invoices.slice(before)
  }

  function payAll(draw: Draw, invoices: readonly KnownInvoice[]): void {
    for (const { address, amountZat: valueZat } of invoices) pay(world, draw, [{ address, valueZat }])
    world.observe()
    for (let blocks = 0; blocks <= world.setup.confirmations; blocks++) world.mine()
  }

  /** One block pays an invoice of each merchant, and the database refuses a row of one of them. */
  function paymentsMeet(name: string, kind: PoisonKind, sql: string, weight: number): Action {
    const refused = kind === 'payment' ? 'a payment' : 'one of the invoices'
    const description = `the database refuses to write ${refused} of a block that pays several`
    return fault(name, weight, description, async draw => {
      const invoices = await createInvoices(draw)
      const row = addPoison(
        draw,
        kind,
        sql,
        invoices.map(({ publicId }) => publicId),
      )
      if (!row) return undefined
      for (const { address, amountZat: valueZat } of invoices) pay(world, draw, [{ address, valueZat }])
      world.observe()
      await passTime(world, draw.int(1, 10), draw, { stops: 4, mines: false })
      for (let blocks = 0; blocks <= world.setup.confirmations; blocks++) world.mine()
      await passTime(world, draw.int(5, 60), draw, { stops: 4, mines: false })
      return `a row of invoice ${short(row.reference)} could not be written when ${invoices.length} invoices were paid`
    })
  }

  /** A secret does not open any more, and events need it at once. @param when in the words of the fault */
  function secretCloses(
    kind: 'webhook' | 'endpoint',
    sql: string,
    when: string,
    tell: (row: PoisonedRow) => string,
  ): Action {
    const named = kind === 'webhook' ? 'a webhook' : 'an endpoint'
    return {
      name: `the secret of ${named} does not open`,
      weight: 8,
      fault: `the sealed secret of ${named} cannot be opened when ${when}`,
      async run(draw) {
        const row = addPoison(draw, kind, sql)
        if (!row) return undefined
        payAll(draw, await createInvoices(draw))
        await world.runFor(draw.int(1, 30) * 1_000)
        return tell(row)
      },
    }
  }

  const webhookActions: readonly Action[] = [
    {
      name: 'a delivery cannot be written',
      weight: 8,
      fault: 'the database refuses to change a delivery, at any moment of it',
      async run(draw) {
        payAll(draw, await createInvoices(draw))
        let row: PoisonedRow | undefined
        for (let turns = 0; turns < MAX_TURNS && !row; turns++) {
          world.scheduler.advance(TURN_MS)
          await world.scheduler.run(2)
          row = addPoison(draw, 'delivery', DELIVERIES)
        }
        await world.runFor(draw.int(1, 30) * 1_000)
        return row && `the database refuses to change delivery ${short(row.reference)}`
      },
    },
    secretCloses('webhook', WEBHOOKS, 'its events are delivered', ({ reference }) => {
      return `the secret of the webhook of account ${reference.split(' ')[0]} does not open any more`
    }),
  ]

  const endpointActions: readonly Action[] = [
    secretCloses('endpoint', ENDPOINTS, 'an event is sent to it', ({ reference }) => {
      return `the secret of endpoint ${short(reference)} does not open any more`
    }),
  ]

  return [
    fault('an invoice cannot be written', 6, 'the database refuses to change an invoice', draw => {
      const row = addPoison(draw, 'invoice', INVOICES)
      return row && `the database refuses to change invoice ${short(row.reference)}`
    }),
    paymentsMeet('payments meet an invoice that cannot be written', 'invoice', INVOICES, 10),
    paymentsMeet('payments meet one that cannot be written', 'payment', PAYEES, 8),
    {
      name: 'a viewing key does not open',
      weight: 5,
      fault: 'a sealed viewing key cannot be opened, since a restart of all processes',
      run: poisonKey,
    },
    {
      name: 'payments to a viewing key that does not open',
      weight: 8,
      fault: 'an invoice is paid while its viewing key cannot be opened; the key is repaired later',
      async run(draw) {
        const invoices = await createInvoices(draw)
        const told = poisonKey(draw)
        if (told === undefined) return undefined
        await passTime(world, draw.int(3, 20), draw, { stops: 4, mines: draw.chance(0.5) })
        for (const { address, amountZat: valueZat } of invoices)
          if (draw.chance(0.7)) pay(world, draw, [{ address, valueZat }])
        world.observe()
        for (let blocks = draw.int(0, 3); blocks > 0; blocks--) world.mine()
        await passTime(world, draw.int(3, 90), draw, { stops: 4, mines: draw.chance(0.5) })
        return told
      },
    },
    action('enter the viewing key again', 3, enterKeyAgain),
    action('a row is repaired', 6, draw => {
      if (poison.rows.length === 0) return undefined
      const row = draw.pick(poison.rows)
      poison.remove(row)
      if (draw.chance(0.3)) world.restartAll()
      return `the ${row.kind} ${short(row.reference)} is repaired`
    }),
    ...(hasWebhooks ? webhookActions : []),
    ...(world.setup.parts.includes('endpoint') ? endpointActions : []),
  ]
}
