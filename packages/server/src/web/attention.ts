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
import { groupThousands, shorten, timeElement } from './format.ts'
import { type Child, html } from './html.ts'
import { plain, say } from './text/dashboard.ts'

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
            what: plain('underpaid_many', { count: formatCount(underpaid) }),
            advice: plain('underpaid_advice'),
            link: { href: '/invoices?status=underpaid', label: plain('underpaid_view') },
          },
        ]
      : []),
  ]
}

/** Swaps that have failed with a deposit, and those that have taken too long. */
export function swapItems(failed: DashboardSummary['failedSwaps'], stuck: readonly Swap[]): AttentionItem[] {
  const items: AttentionItem[] = stuck.map(({ invoicePublicId, status }) => ({
    what: say('swap_stuck', { invoice: html`<span class="code">${shorten(invoicePublicId, 8, 0)}</span>` }),
    advice: plain('swap_stuck_advice', { status }),
    link: { href: `/invoices/${invoicePublicId}`, label: plain('view_invoice') },
  }))
  const [first] = failed
  if (first === undefined) return items
  const links = failed.map((invoice, index) => html`${index > 0 && ', '}${invoiceLink(invoice)}`)
  return [
    ...items,
    {
      what: plain('swaps_failed', { count: failed.length }),
      advice: say('swaps_failed_advice', { invoices: html`${links}` }),
      link: failed.length === 1 ? { href: `/invoices/${first.publicId}`, label: plain('view_invoice') } : null,
    },
  ]
}

/** Events that did not reach a server. @param ofWebhook number of webhook events that have failed for good */
export function deliveryItems(ofWebhook: number, ofEndpoints: readonly ListedEndpoint[]): AttentionItem[] {
  const items: AttentionItem[] = []
  if (ofWebhook > 0)
    items.push({
      what: plain('webhook_events_failed', { count: formatCount(ofWebhook) }),
      advice: plain('webhook_failed_resend'),
      link: { href: failedLink('webhook'), label: plain('webhook_events_view') },
    })
  for (const { endpoint, failed } of ofEndpoints) {
    const host = endpointName(endpoint)
    const path = `/webhook/endpoints/${endpoint.publicId}`
    if (endpoint.enabled && endpoint.pausedAt !== null)
      items.push({
        what: say('endpoint_is_paused_item', { host }),
        advice: say('endpoint_is_paused_advice', { time: timeElement(endpoint.pausedAt) }),
        link: { href: path, label: html`${say('endpoint_resume')}<span class="unseen"> <bdi>${host}</bdi></span>` },
      })
    else if (failed > 0)
      items.push({
        what: say('endpoint_events_failed', { count: formatCount(failed), host }),
        advice: plain('endpoint_events_advice'),
        link: {
          href: path,
          label: html`${say('view')}<span class="unseen"> ${say('endpoint_events_view', { host })}</span>`,
        },
      })
  }
  return items
}

/** The advice to back up the database, where the merchant runs the service. */
export const NO_BACKUP: AttentionItem = {
  what: plain('backup_missing'),
  advice: plain('backup_missing_advice'),
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
  const billing = { href: '/billing', label: plain('plans_view') }
  const limit = groupThousands(plan.monthlyInvoiceLimit ?? 0)
  if (use === 'reached')
    items.push({
      what: plain('plan_used_up', { limit, plan: plan.name }),
      advice: say('plan_used_up_advice', { time: timeElement(resetsAt) }),
      link: billing,
    })
  else if (use === 'near')
    items.push({
      what: plain('plan_near', { used, limit, plan: plan.name }),
      advice: say('plan_near_advice', { time: timeElement(resetsAt) }),
      link: billing,
    })
  for (const { name, rights } of endingKeys)
    items.push({
      what: say('key_ends_soon', { name }),
      advice: say('key_ends_soon_advice', { time: timeElement(rights?.expiresAt ?? 0) }),
      link: { href: '/api-keys', label: plain('keys_view') },
    })
  if (setupSteps.invoice && !isNotified)
    items.push({
      what: plain('not_notified'),
      advice: plain('not_notified_advice'),
      link: { href: '/webhook', label: plain('webhook_set') },
    })
  return items
}
