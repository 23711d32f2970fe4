import { createHash } from 'node:crypto'
import type { InvoiceStatus } from '../../domain/invoice.ts'
import type { Invoice } from '../../ports/repository/invoice.ts'
import { formatZat, formatZecAmount, shorten, timeElement } from '../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../html.ts'

const STATUS_LABELS: Readonly<Record<InvoiceStatus, string>> = {
  pending: 'Pending',
  detected: 'Detected',
  paid: 'Paid',
  underpaid: 'Underpaid',
  expired: 'Expired',
}

export function statusBadge(status: InvoiceStatus): Html {
  return html`<span class="badge badge-${status}">${STATUS_LABELS[status]}</span>`
}

/** The status, and a badge if a reorganisation removed payments of a paid invoice. */
function statusBadges({ status, needsAttention }: Invoice): Html {
  return html`${statusBadge(status)}${needsAttention && html` <span class="badge badge-bad">Payment missing</span>`}`
}

/** Text in full, with a copy button that a script enables. */
export function copyable(text: string, what: string): Html {
  return html`<span class="copyable"><code>${text}</code> ${copyButton(text, what)}</span>`
}

export function copyButton(text: string, what: string): Html {
  return html`<button type="button" class="small" data-copy="${text}" aria-label="Copy ${what}" hidden>Copy</button>`
}

/**
 * Attributes of an element that a script updates in the open page. `id` identifies the element; its state changes when
 * its content does.
 */
export function liveAttributes(id: string, content: Html): Html {
  const state = createHash('sha256').update(content.text).digest('base64url').slice(0, 16)
  return html` id="${id}" data-live data-state="${state}"`
}

export interface FieldOptions {
  readonly name: string
  readonly label: string
  readonly type?: string
  readonly value?: string
  /** Shown below the field. */
  readonly hint?: Child
  readonly required?: boolean
  readonly autofocus?: boolean
  readonly maxlength?: number
  /** Extra attributes as HTML, each with a leading space. */
  readonly attributes?: Html
}

export function field(options: FieldOptions): Html {
  const {
    name,
    label,
    type = 'text',
    value = '',
    hint,
    required = true,
    autofocus = false,
    maxlength,
    attributes,
  } = options
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" type="${type}" value="${value}"${hint !== undefined && html` aria-describedby="${name}-hint"`}${maxlength !== undefined && html` maxlength="${maxlength}"`}${booleanAttribute('required', required)}${booleanAttribute('autofocus', autofocus)}${attributes}>
    ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  </div>`
}

/** A form with a single button. */
export function actionButton(action: string, label: Child, options: { kind?: string; describe?: string } = {}): Html {
  const { kind = '', describe } = options
  return html`<form method="post" action="${action}"><button class="${kind}"${describe !== undefined && html` aria-label="${describe}"`}>${label}</button></form>`
}

/** A secret that is shown only once. */
export function oneTimeSecret(title: string, secret: string, hint: Child): Html {
  return html`<section class="card once" aria-labelledby="once-title">
    <h2 id="once-title">${title}</h2>
    <p>${copyable(secret, 'the secret')}</p>
    <p class="hint">${hint}</p>
  </section>`
}

export function invoiceTable(invoices: readonly Invoice[]): Html {
  const rows = invoices.map(
    invoice => html`<tr>
      <td><a href="/invoices/${invoice.publicId}" class="code" aria-label="Invoice ${invoice.publicId}">${shorten(invoice.publicId, 8, 0)}</a><span class="below">${timeElement(invoice.createdAt)}</span><span class="slim">${statusBadges(invoice)}</span></td>
      <td class="wide">${statusBadges(invoice)}</td>
      <td class="number">${formatZecAmount(invoice.amountZat)}<span class="below">${formatZat(invoice.amountZat)}</span></td>
      <td class="number wide">${received(invoice)}</td>
    </tr>`,
  )
  return html`<table class="list">
    <thead><tr><th scope="col">Invoice</th><th scope="col" class="wide">Status</th><th scope="col" class="number">Amount</th><th scope="col" class="number wide">Received</th></tr></thead>
    <tbody>${rows}</tbody>
  </table>`
}

function received({ receivedZat, overpaidZat }: Invoice): Html {
  if (receivedZat === 0n) return html`<span class="none">nothing yet</span>`
  const surplus = overpaidZat > 0n && html`<span class="below">overpaid by ${formatZecAmount(overpaidZat)}</span>`
  return html`${formatZecAmount(receivedZat)}${surplus || html`<span class="below">${formatZat(receivedZat)}</span>`}`
}

export function definitionList(rows: readonly (readonly [term: string, value: Child])[]): Html {
  return html`<dl class="facts">${rows.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`
}
