import { formatCount } from '../../domain/count.ts'
import type { DashboardSummary, PeriodTotals } from '../../services/sale/dashboard.ts'
import { dailyChart } from '../components/chart.ts'
import { dashboardPage, type PageUser } from '../components/layout.ts'
import { invoiceTable } from '../components/sale/invoice-table.ts'
import { bigAmount, formatZat, formatZecAmount, groupThousands, pluralize, timeElement } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'

interface OverviewView {
  readonly summary: DashboardSummary
  readonly usage: {
    readonly plan: string
    readonly used: number
    readonly limit: number | null
    readonly resetsAt: number
  }
  /** Problems that need the merchant's attention, as sentences with links. */
  readonly attention: readonly Child[]
}

export function overviewPage(user: PageUser, view: OverviewView): Html {
  const { setupSteps } = view.summary
  const setUp = setupSteps.viewingKey && setupSteps.apiKey && setupSteps.invoice
  return dashboardPage({
    ...user,
    menuPath: '/overview',
    title: 'Overview',
    actions: setUp && html`<a class="button primary" href="/invoices/new">New invoice</a>`,
    body: html`
      ${!setUp && firstSteps(setupSteps)}
      ${view.attention.length > 0 && attention(view.attention)}
      ${setupSteps.invoice && totals(view)}
    `,
  })
}

function totals(view: OverviewView): Html {
  const { today, week, month, days, recent } = view.summary
  return html`
      <section class="stack" aria-label="Received">
        <div class="figures">
          ${figure('Today', today)}${figure('This week', week)}${figure('This month', month)}
        </div>
        <div class="card"><h2>The last 30 days</h2>${dailyChart(days)}<p class="hint">Counted on the day an invoice was paid. Days, weeks and months are in UTC.</p></div>
      </section>
      ${openInvoices(view)}
      ${recent.length > 0 && html`<section class="card" aria-labelledby="recent"><h2 id="recent">Recent invoices</h2>${invoiceTable(recent)}<p><a href="/invoices">All invoices</a></p></section>`}`
}

/** The steps from an empty account to the first invoice. Only the next step has a button. */
function firstSteps(steps: DashboardSummary['setupSteps']): Html {
  const list = [
    {
      done: steps.viewingKey,
      title: 'Set your viewing key',
      hint: 'It lets us see incoming payments. It cannot spend.',
      href: '/viewing-key',
    },
    {
      done: steps.apiKey,
      title: 'Create an API key',
      hint: 'Your server uses it to create invoices.',
      href: '/api-keys',
    },
    {
      done: steps.invoice,
      title: 'Create your first invoice',
      hint: 'Create one by hand and see it get paid.',
      href: '/invoices/new',
    },
  ]
  const next = list.findIndex(step => !step.done)
  const items = list.map(
    (
      { done, title, hint, href },
      index,
    ) => html`<li class="${done ? 'done' : index === next ? 'next' : 'later'}"${index === next && html` aria-current="step"`}>
      <div><h3>${title}${done && html` <span class="done-mark">done</span>`}</h3><p>${hint}</p></div>
      ${index === next && html`<a class="button primary" href="${href}">${title}</a>`}
    </li>`,
  )
  return html`<section class="card" aria-labelledby="steps"><h2 id="steps">Three steps to your first payment</h2><ol class="steps">${items}</ol></section>`
}

function attention(lines: readonly Child[]): Html {
  return html`<section class="card attention" aria-labelledby="attention"><h2 id="attention">Needs your attention</h2><ul>${lines.map(line => html`<li>${line}</li>`)}</ul></section>`
}

function figure(label: string, { receivedZat, refundedZat, invoices }: PeriodTotals): Html {
  const refunded = refundedZat > 0n && html` · ${formatZecAmount(refundedZat)} refunded`
  return html`<div class="card figure"><h2>${label}</h2>${bigAmount(formatZecAmount(receivedZat))}<p class="below">${formatZat(receivedZat)} · ${pluralize(invoices, 'invoice')} paid${refunded}</p></div>`
}

function openInvoices({ summary: { open }, usage }: OverviewView): Html {
  const limitText = usage.limit === null ? 'no limit' : `of ${groupThousands(usage.limit)}`
  return html`<section class="figures" aria-label="Now">
    <div class="card figure"><h2>Open invoices</h2><p class="big">${formatCount(open.pending + open.detected)}</p><p class="below"><a href="/invoices?status=pending">${formatCount(open.pending)} pending</a> · <a href="/invoices?status=detected">${formatCount(open.detected)} detected</a></p></div>
    <div class="card figure"><h2>Underpaid</h2><p class="big">${formatCount(open.late)}</p><p class="below"><a href="/invoices?status=underpaid">Expired and underpaid</a>, late payments still count</p></div>
    <div class="card figure"><h2>${usage.plan} plan</h2><p class="big">${groupThousands(usage.used)}</p><p class="below">invoices this month, ${limitText} · resets ${timeElement(usage.resetsAt)}</p></div>
  </section>`
}
