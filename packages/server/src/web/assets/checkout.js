/*
 * Opens the checkout over the page of a shop. Without this script a link to the checkout is followed.
 * A classic script in ES2019, so that every browser can parse it. Styles and elements are made through the DOM, which a
 * Content-Security-Policy of the shop allows.
 */
;(texts => {
  const script = document.currentScript
  if (window.zatgate) return
  if (!script) return console.error('zatgate: load checkout.js with <script src>, not as a module')

  const SERVICE = new URL('.', script.src)
  const FRAME_MS = 10000
  /** Below the content of the frame. */
  const GAP_PX = 16
  const LINKS = 'a.zatgate, a[data-zatgate]'
  /** Browsers before 2022 follow the links. The frame sends its messages to an origin, which a local file or a sandboxed frame does not have. */
  const CAN_STYLE = 'adoptedStyleSheets' in document
  const CAN_SHOW = CAN_STYLE && window.HTMLDialogElement && /^http/.test(window.origin)

  const DARK = 'color-scheme: dark; --ground: #131412; --text: #ecede8; --accent: #6fd0b3; --on-accent: #06231b;'

  const PAGE_STYLE = `
a.zatgate {
  display: inline-flex; align-items: center; justify-content: center; min-height: 44px; box-sizing: border-box;
  padding: .6rem 1.25rem; border: 1px solid #b98300; border-radius: 10px; background: #f4b728; color: #1c1d1a;
  font: 600 1rem/1.3 system-ui, sans-serif; text-align: center; text-decoration: none;
}
a.zatgate:hover { background: #ffc94f; }
a.zatgate:focus-visible { outline: 3px solid #1b6a57; outline-offset: 2px; box-shadow: 0 0 0 2px #fff; }
html:has(> body > .zatgate-modal[data-open]) { overflow: hidden !important; }
html:has(> body > [data-open=gutter]) { scrollbar-gutter: stable; }`

  const STYLE = `
:host { all: initial !important; display: block !important; }
dialog {
  color-scheme: light; --ground: #f6f6f3; --text: #1c1d1a; --accent: #1b6a57; --on-accent: #fff;
  width: min(58rem, 100% - 2rem); max-width: none; margin: auto; padding: 0; border: 0; border-radius: 16px;
  overflow: hidden; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) { dialog:not([data-theme]) { ${DARK} } }
[data-theme=dark] { ${DARK} }
[data-status=detected], [data-status=paid], [data-status=expired] { width: min(32rem, 100% - 2rem); }
::backdrop { background: #000a; }
div {
  display: flex; flex-direction: column; box-sizing: border-box; max-height: calc(100dvh - 2rem); padding: 0 1rem;
}
header { display: flex; align-items: center; justify-content: space-between; font-size: .875rem; }
button, a {
  flex: none; min-height: 44px; box-sizing: border-box; padding: .6rem 1.25rem; border: 0; border-radius: 10px;
  background: var(--accent); color: var(--on-accent); font: 600 1rem/1.5 system-ui, sans-serif; text-decoration: none;
}
header button { width: 44px; margin: .25rem; margin-inline-end: -.5rem; padding: 0; background: none; color: inherit; font: 1.75rem/1 system-ui; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
iframe { width: 100%; height: 32rem; min-height: 0; border: 0; }
p { margin: auto; padding: 25vh 1rem; }
iframe[hidden] { display: block; position: absolute; visibility: hidden; }
.back { margin-bottom: 1rem; }
@media (max-width: 480px), (max-height: 480px) {
  dialog { width: 100% !important; height: 100%; max-height: none; border-radius: 0; }
  div { height: 100%; max-height: none; padding-inline: .5rem; }
  iframe { height: auto !important; flex: 1; }
}`

  function sheetOf(style) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(style)
    return sheet
  }

  function make(name, attributes, ...children) {
    const element = document.createElement(name)
    for (const attribute in attributes) element.setAttribute(attribute, attributes[attribute])
    element.append(...children)
    return element
  }

  /** The address of the checkout of an invoice, from its id or a link. Null: it is another address. */
  function checkoutUrl(target) {
    try {
      const url = /^[\w-]+$/.test(target) ? new URL(`i/${target}`, SERVICE) : new URL(target, document.baseURI)
      const isOurs = url.href.startsWith(SERVICE.href)
      return isOurs && /^i\/[\w-]+\/?$/.test(url.pathname.slice(SERVICE.pathname.length)) ? url : null
    } catch {
      return null
    }
  }

  function frameUrl(checkout, theme, lang) {
    const url = new URL(checkout)
    url.pathname = url.pathname.replace(/\/?$/, '/embed')
    url.searchParams.delete('return_to')
    url.searchParams.set('parent', window.origin)
    if (theme) url.searchParams.set('theme', theme)
    if (lang) url.searchParams.set('lang', lang)
    return url.href
  }

  /** No script: a page may let strangers write the attributes of its links. */
  function goTo({ protocol, href }) {
    if (/^https?:$/.test(protocol)) location.assign(href)
  }

  /**
   * A dialog with the checkout in a frame. Closing hides it: the frame keeps what the buyer has done in it, such as a
   * started swap, and goes on to report the status.
   */
  function createModal(checkout, theme, wantedLang) {
    const [language] = wantedLang.toLowerCase().split('-')
    const lang = Array.isArray(texts[language]) ? language : 'en'
    const [pay, closeText, loading, openPage, back] = texts[lang]
    let status
    let options
    let opener

    const src = frameUrl(checkout, theme, wantedLang)
    const frame = make('iframe', { title: pay, allow: 'clipboard-write', hidden: '', src })
    const closeButton = make('button', { type: 'button', 'aria-label': closeText }, '×')
    const header = make('header', {}, make('span', {}, SERVICE.host), closeButton)
    const note = make('p', { role: 'status' }, loading)
    const backLabel = back.replace('{shop}', () => location.host)
    const backButton = make('button', { type: 'button', class: 'back', hidden: '' }, backLabel)
    const box = make('div', {}, header, note, frame, backButton)
    const dialog = make('dialog', { 'aria-label': pay, lang, dir: lang === 'ar' ? 'rtl' : 'ltr' }, box)
    if (theme) dialog.dataset.theme = theme
    const host = make('div', { class: 'zatgate-modal' })
    const root = host.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheetOf(STYLE)]
    root.append(dialog)
    document.body.append(host)

    const timer = setTimeout(() => note.replaceChildren(make('a', { href: checkout.href }, openPage)), FRAME_MS)

    function report(name, detail, callback) {
      opener.dispatchEvent(new CustomEvent(`zatgate:${name}`, { detail, bubbles: true }))
      if (callback) callback(detail)
    }

    function receive({ source, origin, data }) {
      if (!source || source !== frame.contentWindow || origin !== SERVICE.origin || !data) return
      if (data.type === 'zatgate:ready') {
        clearTimeout(timer)
        note.hidden = true
        frame.hidden = false
      }
      if (data.type === 'zatgate:height') frame.style.height = `${Number(data.height) + GAP_PX}px`
      if (data.type === 'zatgate:close') dialog.close()
      if (data.type === 'zatgate:status') {
        status = data.status
        dialog.dataset.status = status
        backButton.hidden = status !== 'paid'
        report('status', data.swap_status ? { status, swap_status: data.swap_status } : { status }, options.onStatus)
      }
    }
    addEventListener('message', receive)

    closeButton.addEventListener('click', () => dialog.close())
    backButton.addEventListener('click', () => dialog.close())
    // A click beside the dialog must not hide a payment that is not finished.
    dialog.addEventListener('click', ({ target }) => {
      if (target === dialog && status === 'paid') dialog.close()
    })
    dialog.addEventListener('close', () => {
      delete host.dataset.open
      if (opener.isConnected) opener.focus({ preventScroll: true })
      report('close', { status }, options.onClose)
      const { redirect } = opener.dataset
      if (redirect && status === 'paid') goTo(new URL(redirect, document.baseURI))
    })

    return {
      src,
      isOnPage: () => host.isConnected,
      close: () => dialog.close(),
      show(nextOptions, nextOpener) {
        options = nextOptions
        opener = nextOpener
        if (dialog.open) return
        host.dataset.open = innerWidth > document.documentElement.clientWidth ? 'gutter' : ''
        dialog.showModal()
      },
      remove() {
        clearTimeout(timer)
        removeEventListener('message', receive)
        dialog.close()
        host.remove()
      },
    }
  }

  /** The last one. */
  let modal = { src: '', remove() {} }

  /** @param opener the link; without one, an element that is on no page */
  function open(target, options = {}, opener = document.createElement('a')) {
    const checkout = checkoutUrl(String(target))
    if (!checkout)
      throw new TypeError(`zatgate.open: neither an invoice id nor a link to a checkout of ${SERVICE.href}`)
    if (!CAN_SHOW) {
      location.assign(checkout.href)
      return { close() {} }
    }
    const lang = options.lang || document.documentElement.lang
    if (modal.src !== frameUrl(checkout, options.theme, lang) || !modal.isOnPage()) {
      modal.remove()
      modal = createModal(checkout, options.theme, lang)
    }
    modal.show(options, opener)
    return { close: modal.close }
  }

  function followLink(event) {
    const { defaultPrevented, button, ctrlKey, metaKey, shiftKey, altKey } = event
    if (!CAN_SHOW || defaultPrevented || button || ctrlKey || metaKey || shiftKey || altKey) return
    const link = event.composedPath().find(element => element instanceof Element && element.matches(LINKS))
    if (!link || !checkoutUrl(link.href)) return
    event.preventDefault()
    open(link.href, { theme: link.dataset.theme, lang: link.dataset.lang }, link)
  }

  if (CAN_STYLE) document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheetOf(PAGE_STYLE)]
  document.addEventListener('click', followLink)
  window.zatgate = Object.freeze({ open: (target, options) => open(target, options) })
})(TEXTS)
