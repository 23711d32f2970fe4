import manifest from '../../../package.json' with { type: 'json' }
import { type AssetName, assetPath } from '../assets.ts'
import { timeElement } from '../format.ts'
import { booleanAttribute, type Child, type Html, html } from '../html.ts'
import { accentPath } from '../store-assets.ts'
import { plain, say } from '../text/dashboard.ts'
import { type Text, textIn } from '../text/text.ts'
import { DOCS, NAV, type NavItem } from './nav.ts'

export interface PageOptions {
  readonly title: string
  readonly body: Child
  /** Public id of an invoice whose changes update the page. Without JavaScript the page reloads every 15 seconds. */
  readonly liveInvoiceId?: string
  /** The same, for a page of a buyer: the service tells it of all its changes. */
  readonly followedInvoiceId?: string
  /** The page is updated while its content has `data-recheck`. Without JavaScript it reloads every minute. */
  readonly rechecks?: boolean
  /** The page is updated while its content has `data-recheck`. Without JavaScript it stays as it is. */
  readonly isLive?: boolean
  /** The page is updated for some seconds, until the result of the last action appears. */
  readonly awaiting?: boolean
  /** A script in addition to that of all pages. */
  readonly script?: 'reference.js' | 'redirect.js' | 'choose.js' | 'keypad.js' | 'submit.js'
  /** The script by which a page in a frame reports to the page around it. */
  readonly frameScript?: 'embed.js' | 'modal.js'
  /** The address of the manifest of an installed web app. */
  readonly manifest?: string
  /** Opens another address after three seconds, without JavaScript. */
  readonly redirectsTo?: URL | null
  readonly theme?: Embedding['theme']
  /** The language of a page for buyers. Undefined: a page in English, whose times have the format of the reader's system. */
  readonly text?: Text
  /** The name after the title. Undefined: that of this service. */
  readonly site?: string
  /** The accent of a store, `#rrggbb`, whose colours the class `accent` has on this page. */
  readonly accent?: string | null
}

/** The signed-in user that a dashboard page is rendered for. */
export interface PageUser {
  readonly email: string
  /** The network is simulated, so no money is real. */
  readonly sandbox: boolean
  /** The earliest time at which the account is deleted, in Unix seconds; null: it is not being deleted. */
  readonly deletionDueAt: number | null
}

interface DashboardPage extends PageOptions, PageUser {
  /** Path of the menu item that this page belongs to. */
  readonly menuPath: string
  /** Flash message: the result of the last action. */
  readonly flash?: Child
  /** Error message about the submitted form. */
  readonly error?: Child
  /** Buttons next to the heading. */
  readonly actions?: Child
  /** The heading. Undefined: the title. */
  readonly heading?: Child
}

/** A page for a signed-in account. */
export function dashboardPage(page: DashboardPage): Html {
  return frame(page, 'dashboard')`
    <a class="skip" href="#main">${say('skip_to_content')}</a>
    <header class="top">
      <a class="brand" href="/overview">${brand()}</a>
      ${page.sandbox && html`<span class="tag">${say('sandbox')}</span>`}
      <span class="who"><bdi>${page.email}</bdi></span>
      <form method="post" action="/sign-out"><button class="quiet">${say('sign_out')}</button></form>
      <button class="menu-button" popovertarget="menu" aria-label="${plain('menu')}"><span aria-hidden="true">☰</span></button>
    </header>
    <nav id="menu" class="menu" popover aria-label="${plain('menu_label')}">${NAV.map(group => menuGroup(group.label, group.items, page.menuPath))}<p class="product">zatgate ${manifest.version}</p><form class="sign-out" method="post" action="/sign-out"><p class="hint"><bdi>${page.email}</bdi></p><button>${say('sign_out')}</button></form></nav>
    <main id="main">
      <div class="heading"><h1>${page.heading ?? page.title}</h1>${page.actions && html`<div class="actions">${page.actions}</div>`}</div>
      ${staleNote(page)}
      ${deletionBanner(page)}
      ${page.flash && html`<p class="flash" role="status">${page.flash}</p>`}
      ${page.error && html`<p class="error" role="alert">${page.error}</p>`}
      ${page.body}
    </main>`
}

function deletionBanner({ deletionDueAt, menuPath }: DashboardPage): Html | false {
  if (deletionDueAt === null || menuPath === '/account') return false
  return html`<p class="card attention" role="status">${say('deletion_banner', { time: timeElement(deletionDueAt), link: '/account' })}</p>`
}

export const THEMES = ['light', 'dark'] as const

/** The frame of another site in which a page is shown. */
export interface Embedding {
  /** Null: as the reader's system is set. */
  readonly theme: (typeof THEMES)[number] | null
  /** The origin of the page around the frame, which alone gets messages from `assets/embed.js`. Null: it is not named. */
  readonly parent: string | null
  /** `btcpay.js` has opened the frame over the page of the shop. It gets messages from `assets/modal.js` instead. */
  readonly isModal: boolean
}

interface PlainPage extends PageOptions {
  readonly banner?: Child
  readonly footer?: Child
  readonly embedding?: Embedding | null
}

/** Shown by the script of an open page that cannot be updated. */
function staleNote({
  liveInvoiceId,
  followedInvoiceId,
  rechecks = false,
  text = textIn('en'),
}: PageOptions): Html | false {
  if (liveInvoiceId === undefined && followedInvoiceId === undefined && !rechecks) return false
  return html`<p class="card narrow attention" role="status" data-stale hidden>${text.say('no_connection')}</p>`
}

/** A page for a merchant who is not signed in: sign-in and errors. */
export function signedOutPage(page: PageOptions): Html {
  return plainPage({
    ...page,
    footer: html`<footer class="plain-foot"><a href="${DOCS.href}">${DOCS.label}</a></footer>`,
  })
}

/** A page without the dashboard menu. One for buyers has a language, and no name of this service on top. */
export function plainPage({ embedding = null, footer, ...page }: PlainPage): Html {
  const options = embedding
    ? {
        ...page,
        frameScript: embedding.isModal ? ('modal.js' as const) : ('embed.js' as const),
        theme: embedding.theme,
      }
    : page
  const kind = `plain${page.text ? ' buyer' : ''}${page.accent ? ' accent' : ''}`
  return frame(options, embedding ? `${kind} embedded${embedding.isModal ? ' modal' : ''}` : kind)`
    ${!page.text && html`<header class="plain-top"><span class="brand">${brand()}</span></header>`}
    <main id="main"${embedding && html` aria-label="${(page.text ?? textIn('en')).plain('payment')}"${embedding.parent && html` data-parent="${embedding.parent}"`}`}>${embedding?.isModal && closeButton(page.text ?? textIn('en'))}${page.banner ?? false}${staleNote(page)}${page.body}</main>${footer}`
}

/** Shown by the script of a page that is in a frame. */
function closeButton(text: Text): Html {
  return html`<button type="button" class="modal-close" data-close hidden aria-label="${text.plain('modal_close')}">×</button>`
}

/** A page of documentation, with its contents beside it. */
export function referencePage({ contents, ...page }: PageOptions & { readonly contents: Child }): Html {
  return frame({ ...page, script: 'reference.js' }, 'reference')`
    <a class="skip" href="#main">${say('skip_to_content')}</a>
    <header class="top"><a class="brand" href="/">${brand()}</a><nav class="site-links" aria-label="${plain('site_links')}"><a href="${DOCS.href}" aria-current="true">${DOCS.label}</a><a href="/">${say('dashboard')}</a></nav></header>
    <div class="reference-layout">
      <nav class="contents" aria-label="${plain('contents')}">${contents}</nav>
      <main id="main">${page.body}</main>
    </div>`
}

function frame(options: PageOptions, kind: string) {
  const {
    title,
    followedInvoiceId,
    liveInvoiceId = followedInvoiceId,
    rechecks = false,
    awaiting = false,
    script,
    frameScript,
    theme = null,
    redirectsTo = null,
    manifest: appManifest,
    text,
    accent = null,
  } = options
  const isLive = liveInvoiceId !== undefined
  const isUpdated = isLive || rechecks || awaiting || options.isLive === true
  const scripts: AssetName[] = [
    'enhance.js',
    ...(isUpdated ? (['morph.js', 'live.js'] as const) : []),
    ...(frameScript ? [frameScript] : []),
    ...(script ? [script] : []),
  ]
  return (strings: TemplateStringsArray, ...values: readonly Child[]): Html => html`<!doctype html>
<html lang="${text?.locale ?? 'en'}" dir="${text?.direction ?? 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${theme ?? 'light dark'}">
<title>${title} · ${options.site ?? 'zatgate'}</title>
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath(theme === null ? 'style.css' : `style-${theme}.css`)}">
${accent !== null && html`<link rel="stylesheet" href="${accentPath(accent, theme)}">`}
${appManifest !== undefined && html`<link rel="manifest" href="${appManifest}">`}
${scripts.map(name => html`<script type="module" src="${assetPath(name)}"></script>`)}
${withoutScript(redirectsTo, isLive && !(followedInvoiceId && rechecks), rechecks)}
</head>
<body class="${kind}"${text && html` data-copied="${text.plain('copied')}" data-not-copied="${text.plain('not_copied')}"`}>${html(strings, ...values)}
${isUpdated && html`<p class="unseen" role="status" data-announcer${isLive && html` data-live-invoice="${liveInvoiceId}"`}${booleanAttribute('data-followed', followedInvoiceId !== undefined)}${booleanAttribute('data-awaiting', awaiting)}></p>`}
</body>
</html>
`
}

/** A page without scripts opens another one, or reloads itself. */
function withoutScript(redirectsTo: URL | null, isLive: boolean, rechecks: boolean): Html | false {
  if (!redirectsTo && !isLive && !rechecks) return false
  const content = redirectsTo ? `3; url=${redirectsTo.href}` : isLive ? 15 : 60
  return html`<noscript><meta http-equiv="refresh" content="${content}"></noscript>`
}

function brand(): Html {
  return html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8"/><path d="M10 10h12l-12 12h12"/></svg>zatgate`
}

function menuGroup(label: string | null, items: readonly NavItem[], activePath: string): Html {
  const links = items.map(
    ({ href, label: text }) =>
      html`<li><a href="${href}"${href === activePath && html` aria-current="page"`}>${text}</a></li>`,
  )
  return html`${label !== null && html`<h2>${label}</h2>`}<ul>${links}</ul>`
}
