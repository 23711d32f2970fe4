import type { SetAsideKind } from '../../domain/set-aside.ts'
import type { SetAsideCount } from '../../ports/repository/set-aside.ts'
import { pluralize, timeElement } from '../format.ts'
import { type Child, html } from '../html.ts'

const LATER = 'We try again automatically, and the operator of this service sees it.'

/** The sentences about rows that are set aside, for the owner of the account. */
const SENTENCES: Readonly<Record<SetAsideKind, (rows: number) => Child>> = {
  scan_key: () =>
    html`A viewing key of your account cannot be read at the moment, so payments to its invoices are not seen. None of these invoices expires meanwhile, and no payment is lost: the missed blocks are read afterwards. ${LATER}`,
  invoice: rows =>
    html`The state of ${pluralize(rows, 'invoice')} cannot be updated at the moment. Payments to it are recorded and count later. ${LATER}`,
  webhook: () =>
    html`Your webhook is not called, because its signing secret cannot be read. Deliveries wait. <a href="/webhook">Rotate the secret</a>, and they are sent.`,
  endpoint: rows =>
    html`${pluralize(rows, 'endpoint')} cannot be sent events at the moment. The events are kept. ${LATER}`,
  delivery: rows =>
    html`${pluralize(rows, 'webhook delivery', 'webhook deliveries')} cannot be processed at the moment. ${LATER}`,
  mail: rows => html`${pluralize(rows, 'mail')} to you cannot be sent at the moment. ${LATER}`,
  plan: () => html`The end of your plan cannot be processed at the moment. ${LATER}`,
  plan_reminder: () => html`The reminder about the end of your plan cannot be sent at the moment. ${LATER}`,
  swap: rows => html`The status of ${pluralize(rows, 'swap')} cannot be updated at the moment. ${LATER}`,
  account_deletion: () => html`The deletion of this account cannot go on at the moment. ${LATER}`,
}

export function setAsideWarnings(counts: readonly SetAsideCount[]): Child[] {
  return counts.map(({ kind, rows, firstAt }) => html`${SENTENCES[kind](rows)} Since ${timeElement(firstAt)}.`)
}
