import { assetPath } from '../assets.ts'
import { type Child, type Html, html } from '../html.ts'
import { NAV, type NavItem } from './nav.ts'

export interface PageOptions {
  readonly title: string
  readonly body: Child
  /** Follows this invoice live; without a script the page loads again every so often. */
  readonly follow?: string
}

export interface DashboardPage extends PageOptions {
  /** Whose account it is. */
  readonly email: string
  /** The page of the menu that this one belongs to. */
  readonly at: string
  /** The simulated network: no money here is real. */
  readonly sandbox: boolean
  /** One line about what has just happened. */
  readonly notice?: Child
  /** One line about what is wrong with what was sent. */
  readonly error?: Child
  /** Buttons beside the heading. */
  readonly actions?: Child
  /** The heading, where it is not the title. */
  readonly heading?: Child
}

/** A page of a signed-in account. */
export function dashboardPage(page: DashboardPage): Html {
  return frame(page, 'dashboard')`
    <a class="skip" href="#main">Skip to the content</a>
    <header class="top">
      <a class="brand" href="/overview">${brand()}</a>
      ${page.sandbox && html`<span class="tag">Sandbox</span>`}
      <span class="who">${page.email}</span>
      <form method="post" action="/sign-out"><button class="quiet">Sign out</button></form>
      <button class="menu-button" popovertarget="menu" aria-label="Menu"><span aria-hidden="true">☰</span></button>
    </header>
    <nav id="menu" class="menu" popover aria-label="Main">${NAV.map(group => menuGroup(group.label, group.items, page.at))}<form class="sign-out" method="post" action="/sign-out"><p class="hint">${page.email}</p><button>Sign out</button></form></nav>
    <main id="main">
      <div class="heading"><h1>${page.heading ?? page.title}</h1>${page.actions && html`<div class="actions">${page.actions}</div>`}</div>
      ${page.notice && html`<p class="notice" role="status">${page.notice}</p>`}
      ${page.error && html`<p class="error" role="alert">${page.error}</p>`}
      ${page.body}
    </main>`
}

/** A page for anyone: signing in, paying, and what went wrong. */
export function plainPage(page: PageOptions): Html {
  return frame(page, 'plain')`
    <header class="plain-top"><span class="brand">${brand()}</span></header>
    <main id="main">${page.body}</main>`
}

function frame({ title, follow }: PageOptions, kind: string) {
  return (strings: TemplateStringsArray, ...values: readonly Child[]): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · zatgate</title>
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('style.css')}">
<script type="module" src="${assetPath('enhance.js')}"></script>
${follow !== undefined && html`<noscript><meta http-equiv="refresh" content="15"></noscript>`}
</head>
<body class="${kind}">${html(strings, ...values)}
${follow !== undefined && html`<p class="unseen" role="status" data-follow="${follow}"></p>`}
</body>
</html>
`
}

function brand(): Html {
  return html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M10 10h12l-12 12h12"/></svg>zatgate`
}

function menuGroup(label: string | null, items: readonly NavItem[], at: string): Html {
  const links = items.map(
    ({ href, label: text }) => html`<li><a href="${href}"${href === at && html` aria-current="page"`}>${text}</a></li>`,
  )
  return html`${label !== null && html`<h2>${label}</h2>`}<ul>${links}</ul>`
}
