import type { AccountEvent, CreatedInvoice, InvoiceRequest, ZatgateClient } from '@zatgate/sdk'
import type { EventType } from '../domain/notify/event.ts'
import { EXPIRY_SECS } from '../domain/sale/invoice.ts'

/** A running sandbox, as the steps of an event use it. */
export interface SandboxStage {
  /** With the API key and the session token of the sandbox's account. */
  readonly client: ZatgateClient
  /** A POST to the control API. */
  control(path: string, body: object): Promise<Readonly<Record<string, unknown>>>
  /** The height of the chain. */
  height(): Promise<number>
  /** The first new event of a type whose body has this id. */
  seen(type: EventType, id: string): Promise<AccountEvent>
  /** Changes the end of the account's plan, as its operator does, and reverts it. */
  changePlan(): Promise<void>
  note(line: string): void
}

export interface Trigger {
  /** Description of the steps for the list of types. */
  readonly does: string
  /** @returns the id by which the body of the event is known; empty: any new event of the type */
  run(stage: SandboxStage): Promise<string>
}

const AMOUNT_ZAT = 2_500_000
const ASSET = 'nep141:btc.omft.near'

/** How each event is made to happen, in the order of the list. */
export const TRIGGERS: Readonly<Record<EventType, Trigger>> = {
  'invoice.created': { does: 'creates an invoice', run: async stage => (await sell(stage)).id },
  'invoice.payment_received': { does: 'pays an invoice', run: async stage => (await pay(stage)).id },
  'invoice.detected': { does: 'pays an invoice', run: async stage => (await pay(stage)).id },
  'invoice.part_paid': {
    does: 'pays half of an invoice',
    run: async stage => (await pay(stage, AMOUNT_ZAT / 2)).id,
  },
  'invoice.paid': { does: 'pays an invoice and mines a block', run: async stage => (await payAndMine(stage)).id },
  'invoice.overpaid': {
    does: 'pays twice the amount of an invoice',
    run: async stage => (await pay(stage, AMOUNT_ZAT * 2)).id,
  },
  'invoice.underpaid': {
    does: `pays half of an invoice, and waits ${EXPIRY_SECS.min} s for its expiry`,
    async run(stage) {
      const { id } = await pay(stage, AMOUNT_ZAT / 2, { expires_in_secs: EXPIRY_SECS.min })
      await stage.seen('invoice.part_paid', id)
      await stage.control('/mine', { blocks: 1 })
      return waitForExpiry(stage, id)
    },
  },
  'invoice.expired': {
    does: `creates an invoice, and waits ${EXPIRY_SECS.min} s for its expiry`,
    run: async stage => waitForExpiry(stage, (await sell(stage, { expires_in_secs: EXPIRY_SECS.min })).id),
  },
  'invoice.canceled': { does: 'cancels an invoice', run: async stage => (await cancel(stage)).id },
  'invoice.marked': {
    does: 'marks an invoice as settled by hand',
    async run(stage) {
      const { id } = await sell(stage)
      await stage.client.markInvoice(id, { as: 'settled' })
      return id
    },
  },
  'invoice.late_payment': {
    does: 'cancels an invoice, then pays it',
    async run(stage) {
      const invoice = await cancel(stage)
      await stage.control('/pay', { uri: invoice.zip321_uri })
      return invoice.id
    },
  },
  'invoice.reorged': {
    does: 'pays an invoice, then replaces the blocks with its payment',
    async run(stage) {
      const before = await stage.height()
      const { id, txid } = await payAndMine(stage)
      await stage.seen('invoice.paid', id)
      await stage.control('/reorg', { depth: (await stage.height()) - before, drop: [txid] })
      return id
    },
  },
  'swap.updated': { does: 'starts a swap', run: async stage => (await startSwap(stage)).id },
  'swap.refunded': swapTrigger('REFUNDED', 'starts a swap that is refunded'),
  'swap.failed': swapTrigger('FAILED', 'starts a swap that fails'),
  'swap.incomplete_deposit': swapTrigger('INCOMPLETE_DEPOSIT', 'starts a swap with half of its deposit'),
  'refund.updated': {
    does: 'pays an invoice, and creates a refund',
    async run(stage) {
      const { id } = await payAndMine(stage)
      await stage.seen('invoice.paid', id)
      await stage.client.createRefund(id)
      return id
    },
  },
  'withdrawal.updated': {
    does: 'orders a withdrawal, and pays its deposit',
    async run({ client, control }) {
      const order = { amount_zat: AMOUNT_ZAT, fiat_currency: 'EUR', payout_to: 'DE89 3704 0044 0532 0130 00' }
      const { id, zip321_uri: uri } = await client.createWithdrawal(order)
      await control('/pay', { uri })
      return id
    },
  },
  'plan.updated': {
    does: 'gives the plan of the account an end, and removes it again',
    async run(stage) {
      await stage.changePlan()
      return ''
    },
  },
  test: { does: 'sends a test event to the webhook, if there is none to the receiver of the sandbox', run: sendTest },
}

function sell({ client }: SandboxStage, terms: Partial<InvoiceRequest> = {}): Promise<CreatedInvoice> {
  return client.createInvoice({ amount_zat: AMOUNT_ZAT, confirmations: 1, ...terms })
}

async function pay(stage: SandboxStage, amountZat = AMOUNT_ZAT, terms: Partial<InvoiceRequest> = {}) {
  const { id, zip321_uri: uri } = await sell(stage, terms)
  const { txid } = await stage.control('/pay', { uri, amount_zat: amountZat })
  return { id, txid }
}

async function payAndMine(stage: SandboxStage) {
  const paid = await pay(stage)
  await stage.seen('invoice.detected', paid.id)
  await stage.control('/mine', { blocks: 1 })
  return paid
}

async function cancel(stage: SandboxStage): Promise<CreatedInvoice> {
  const invoice = await sell(stage)
  await stage.client.cancelInvoice(invoice.id)
  return invoice
}

function waitForExpiry({ note }: SandboxStage, id: string): string {
  note(`waits for the expiry of the invoice, ${EXPIRY_SECS.min} s after its creation`)
  return id
}

async function startSwap(stage: SandboxStage) {
  const { id } = await sell(stage)
  const swap = await stage.client.startSwap(id, { asset_id: ASSET, refund_to: 'the-buyers-own-address' })
  return { id, depositAddress: swap.deposit_address }
}

function swapTrigger(outcome: string, does: string): Trigger {
  return {
    does,
    async run(stage) {
      const { id, depositAddress } = await startSwap(stage)
      await stage.control(`/swaps/${encodeURIComponent(depositAddress)}`, { outcome })
      return id
    },
  }
}

async function sendTest({ client, control }: SandboxStage): Promise<string> {
  const isSet = await client.getWebhook().then(
    () => true,
    (error: Error & { readonly code?: unknown }) => {
      if (error.code !== 'webhook_not_set') throw error
      return false
    },
  )
  if (!isSet) {
    const responses = [{ kind: 'status', status: 200 }]
    const { url } = await control('/webhooks', { path: '/trigger', responses })
    await client.setWebhook(String(url))
  }
  await client.testWebhook()
  if (!isSet) await client.removeWebhook()
  return ''
}
