import { limitUse } from '../domain/account/plan.ts'
import { formatCount } from '../domain/count.ts'
import type { Swap } from '../ports/repository/sale/swap.ts'
import type { AccountOverview } from '../services/account/account.ts'
import type { DashboardSummary } from '../services/sale/dashboard.ts'
import type { AttentionItem } from './components/attention.ts'
import { reorgedInvoices } from './components/chain/reorg-warning.ts'
import { endpointName } from './components/notify/endpoint-state.ts'
import { failedLink, type ListedEndpoint } from './components/notify/endpoint-table.ts'
import { lateInvoices } from './components/sale/late.ts'
import { invoiceLink } from './components/sale/order.ts'
import { overpaidInvoices } from './components/sale/overpaid.ts'
import { groupThousands, pluralize, shorten, timeElement } from './format.ts'
import { type Child, html } from './html.ts'

/** A problem that solves itself, or that the operator of the service solves. */
export function notice(text: Child): AttentionItem {
  return { what: '', advice: text, link: null }
}

/** Money that waits for a decision of the merchant. */
export function invoiceItems(summary: DashboardSummary): AttentionItem[] {
  const { reorged, reorgedTotal, overpaid, overpaidTotal, late, lateTotal, underpaidTotal: underpaid } = summary
  return [
    ...(reorged.length > 0 ? [reorgedInvoices(reorged, reorgedTotal)] : []),
    ...(overpaid.length > 0 ? [overpaidInvoices(overpaid, overpaidTotal)] : []),
    ...(late.length > 0 ? [lateInvoices(late, lateTotal)] : []),
    ...(underpaid > 0
      ? [
          {
            what: `${formatCount(underpaid)} ${underpaid === 1 ? 'invoice' : 'invoices'} closed with too little paid.`,
            advice: 'Ask the buyer for the rest, which still counts, or send back what arrived.',
            link: { href: '/invoices?status=underpaid', label: 'View underpaid' },
          },
        ]
      : []),
  ]
}

/** Swaps that have failed with a deposit, and those that have taken too long. */
export function swapItems(failed: DashboardSummary['failedSwaps'], stuck: readonly Swap[]): AttentionItem[] {
  const items: AttentionItem[] = stuck.map(({ invoicePublicId, status }) => ({
    what: html`The swap for invoice <span class="code">${shorten(invoicePublicId, 8, 0)}</span>`,
    advice: `has had the status ${status} for an hour, but no payment has arrived. Ask the swap provider, with the deposit address.`,
    link: { href: `/invoices/${invoicePublicId}`, label: 'View invoice' },
  }))
  const [first] = failed
  if (first === undefined) return items
  const links = failed.map((invoice, index) => html`${index > 0 && ', '}${invoiceLink(invoice)}`)
  return [
    ...items,
    {
      what: `${pluralize(failed.length, 'swap')} failed, and the provider has the deposit:`,
      advice: html`${links}. The buyer has paid and you got nothing. Ask the swap provider, with the deposit address.`,
      link: failed.length === 1 ? { href: `/invoices/${first.publicId}`, label: 'View invoice' } : null,
    },
  ]
}

/** Events that did not reach a server. @param ofWebhook number of webhook events that have failed for good */
export function deliveryItems(ofWebhook: number, ofEndpoints: readonly ListedEndpoint[]): AttentionItem[] {
  const items: AttentionItem[] = []
  const events = (count: number, name: string) => `${formatCount(count)} ${name}${count === 1 ? '' : 's'}`
  if (ofWebhook > 0)
    items.push({
      what: `${events(ofWebhook, 'webhook event')} could not be delivered.`,
      advice: 'When your server responds again, send them again.',
      link: { href: failedLink('webhook'), label: 'View and resend' },
    })
  for (const { endpoint, failed } of ofEndpoints) {
    const host = html`<bdi>${endpointName(endpoint)}</bdi>`
    const path = `/webhook/endpoints/${endpoint.publicId}`
    if (endpoint.enabled && endpoint.pausedAt !== null)
      items.push({
        what: html`The endpoint ${host} is paused`,
        advice: html`since ${timeElement(endpoint.pausedAt)}, after three days of failures. Its events are kept.`,
        link: { href: path, label: html`Resume<span class="unseen"> ${host}</span>` },
      })
    else if (failed > 0)
      items.push({
        what: html`${events(failed, 'event')} could not be delivered to the endpoint ${host}.`,
        advice: 'When it responds again, send them again.',
        link: { href: path, label: html`View<span class="unseen"> and send again to ${host}</span>` },
      })
  }
  return items
}

/** Of the database, where the merchant runs the service. */
export const NO_BACKUP: AttentionItem = {
  what: 'The database has no backup of the last two days.',
  advice:
    'A lost disk would lose your invoices. Make one every day with zatgate backup, in the folder backups beside it.',
  link: null,
}

/** The limits and ends of the account. @param isNotified whether a server is notified of payments */
export function accountItems(
  { endingKeys, setupSteps }: DashboardSummary,
  { usedThisMonth: used, plan, resetsAt }: AccountOverview,
  isNotified: boolean,
): AttentionItem[] {
  const items: AttentionItem[] = []
  const use = limitUse(plan, used)
  const billing = { href: '/billing', label: 'View plans' }
  const limit = groupThousands(plan.monthlyInvoiceLimit ?? 0)
  if (use === 'reached')
    items.push({
      what: `You have used all ${limit} invoices of the ${plan.name} plan for this month.`,
      advice: html`You cannot create more until ${timeElement(resetsAt)}.`,
      link: billing,
    })
  else if (use === 'near')
    items.push({
      what: `You have used ${groupThousands(used)} of the ${limit} invoices of the ${plan.name} plan for this month.`,
      advice: html`It resets ${timeElement(resetsAt)}.`,
      link: billing,
    })
  for (const { name, rights } of endingKeys)
    items.push({
      what: html`The API key “<bdi>${name}</bdi>” ends soon`,
      advice: html`at ${timeElement(rights?.expiresAt ?? 0)}. Create another one in time, and give it to the program that uses it.`,
      link: { href: '/api-keys', label: 'View keys' },
    })
  if (setupSteps.invoice && !isNotified)
    items.push({
      what: 'Your server is not notified of payments yet.',
      advice: 'With a webhook it is notified of each one.',
      link: { href: '/webhook', label: 'Set a webhook' },
    })
  return items
}
