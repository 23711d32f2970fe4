import type { Figure, Standing } from '../../services/dashboard.ts'
import { dailyPlot } from '../components/chart.ts'
import { dashboardPage } from '../components/layout.ts'
import { invoiceTable } from '../components/parts.ts'
import { counted, grouped, moment, zat, zec } from '../format.ts'
import { type Child, type Html, html } from '../html.ts'
import type { Viewer } from '../page-user.ts'

export interface OverviewView {
  readonly standing: Standing
  readonly usage: {
    readonly plan: string
    readonly used: number
    readonly limit: number | null
    readonly resetsAt: number
  }
  /** What the owner should look at, as sentences with a link. */
  readonly attention: readonly Child[]
}

export function overviewPage(viewer: Viewer, view: OverviewView): Html {
  const { steps } = view.standing
  const started = steps.viewingKey && steps.apiKey && steps.invoice
  return dashboardPage({
    ...viewer,
    at: '/overview',
    title: 'Overview',
    actions: started && html`<a class="button primary" href="/invoices/new">New invoice</a>`,
    body: html`
      ${!started && firstSteps(steps)}
      ${view.attention.length > 0 && attention(view.attention)}
      ${steps.invoice && figures(view)}
    `,
  })
}

function figures(view: OverviewView): Html {
  const { today, week, month, days, recent } = view.standing
  return html`
      <section class="stack" aria-label="Received">
        <div class="figures">
          ${figure('Today', today)}${figure('This week', week)}${figure('This month', month)}
        </div>
        <div class="card"><h2>The last 30 days</h2>${dailyPlot(days)}<p class="hint">By the day an invoice was confirmed as paid. Days, weeks and months are those of UTC.</p></div>
      </section>
      ${openInvoices(view)}
      ${recent.length > 0 && html`<section class="card" aria-labelledby="recent"><h2 id="recent">Latest invoices</h2>${invoiceTable(recent)}<p><a href="/invoices">All invoices</a></p></section>`}`
}

/** The way from an empty account to a paid invoice; each step leads to the next. */
function firstSteps(steps: Standing['steps']): Html {
  const list = [
    {
      done: steps.viewingKey,
      title: 'Set your viewing key',
      why: 'So that we see payments come in. It can spend nothing.',
      href: '/viewing-key',
    },
    {
      done: steps.apiKey,
      title: 'Create an API key',
      why: 'Your shop’s server makes invoices with it.',
      href: '/api-keys',
    },
    {
      done: steps.invoice,
      title: 'Make your first invoice',
      why: 'By hand this once, and watch it being paid.',
      href: '/invoices/new',
    },
  ]
  const next = list.findIndex(step => !step.done)
  const items = list.map(
    (
      { done, title, why, href },
      index,
    ) => html`<li class="${done ? 'done' : index === next ? 'next' : 'later'}"${index === next && html` aria-current="step"`}>
      <div><h3>${title}${done && html` <span class="done-mark">done</span>`}</h3><p>${why}</p></div>
      ${index === next && html`<a class="button primary" href="${href}">${title}</a>`}
    </li>`,
  )
  return html`<section class="card" aria-labelledby="steps"><h2 id="steps">Three steps to your first payment</h2><ol class="steps">${items}</ol></section>`
}

function attention(lines: readonly Child[]): Html {
  return html`<section class="card attention" aria-labelledby="attention"><h2 id="attention">Needs your attention</h2><ul>${lines.map(line => html`<li>${line}</li>`)}</ul></section>`
}

function figure(label: string, { receivedZat, invoices }: Figure): Html {
  return html`<div class="card figure"><h2>${label}</h2><p class="big">${zec(receivedZat)}</p><p class="below">${zat(receivedZat)} · ${counted(invoices, 'invoice')} paid</p></div>`
}

function openInvoices({ standing: { open }, usage }: OverviewView): Html {
  const left = usage.limit === null ? 'no limit' : `of ${grouped(usage.limit)}`
  return html`<section class="figures" aria-label="Now">
    <div class="card figure"><h2>Open</h2><p class="big">${grouped(open.pending + open.detected)}</p><p class="below"><a href="/invoices?status=pending">${grouped(open.pending)} pending</a> · <a href="/invoices?status=detected">${grouped(open.detected)} confirming</a></p></div>
    <div class="card figure"><h2>Late</h2><p class="big">${grouped(open.late)}</p><p class="below"><a href="/invoices?status=underpaid">Paid too little</a>, still watched</p></div>
    <div class="card figure"><h2>${usage.plan} plan</h2><p class="big">${grouped(usage.used)}</p><p class="below">invoices this month, ${left} · starts again ${moment(usage.resetsAt)}</p></div>
  </section>`
}
