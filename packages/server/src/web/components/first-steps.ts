import type { DashboardSummary } from '../../services/sale/dashboard.ts'
import { GUIDES, GUIDES_PATH, guidePath } from '../guides.ts'
import { type Child, type Html, html } from '../html.ts'

/** The guides by which a shop is connected, in the order of the choice. */
const SHOP_GUIDES = ['sdk', 'php', 'python', 'clients'] as const

interface Step {
  readonly isDone: boolean
  readonly title: string
  readonly hint: Child
  readonly href: string
  readonly action: string
}

/** The steps from an empty account to a connected shop. Only the next step has a button. */
export function firstSteps({ viewingKey, invoice, apiKey }: DashboardSummary['setupSteps']): Html {
  const steps: readonly Step[] = [
    {
      isDone: viewingKey,
      title: 'Set your viewing key',
      hint: 'Your wallet exports it. It lets us see incoming payments, and it cannot spend.',
      href: '/viewing-key',
      action: 'Set your viewing key',
    },
    {
      isDone: invoice,
      title: 'Try a payment',
      hint: 'Create an invoice by hand, pay a small amount, and see it arrive in your wallet.',
      href: '/invoices/new',
      action: 'Create your first invoice',
    },
    {
      isDone: apiKey,
      title: 'Connect your shop',
      hint: connect(),
      href: '/api-keys',
      action: 'Create an API key',
    },
  ]
  const next = steps.findIndex(step => !step.isDone)
  const items = steps.map((step, index) => item(step, index === next))
  return html`<section class="card" aria-labelledby="steps"><h2 id="steps">Three steps to your first payment</h2><ol class="steps">${items}</ol></section>`
}

function item({ isDone, title, hint, href, action }: Step, isNext: boolean): Html {
  return html`<li class="${isDone ? 'done' : isNext ? 'next' : 'later'}"${isNext && html` aria-current="step"`}>
      <div><h3>${title}${isDone && html` <span class="done-mark">done</span>`}</h3><p>${hint}</p></div>
      ${isNext && html`<a class="button primary" href="${href}">${action}</a>`}
    </li>`
}

function connect(): Html {
  const guides = SHOP_GUIDES.map(
    (name, index) => html`${index > 0 && ', '}<a href="${guidePath(name)}">${GUIDES[name]?.title}</a>`,
  )
  return html`Your server creates invoices with an API key and is notified of payments by <a href="${guidePath('webhooks')}">webhook</a>. Guides: ${guides}. <a href="${GUIDES_PATH}">All guides</a>.`
}
