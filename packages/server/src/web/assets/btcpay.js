/*
 * `window.btcpay`: plugins and pages made for BTCPay Server open a checkout of this service by it. The checkout covers the
 * page of the shop in a transparent frame, and reports to it by messages.
 * A classic script in ES2019, so that every browser can parse it. Styles and elements are made through the DOM, which a
 * Content-Security-Policy of the shop allows.
 */
;(texts => {
  const NAME = 'zatgate'
  if (window.btcpay && window.btcpay.service === NAME) return

  const PATH = /\/modal\/btcpay\.js(?:[?#].*)?$/
  const FRAME_MS = 10000
  /** Older browsers, and pages without an origin, open the checkout in place of the page. */
  const CAN_SHOW = 'adoptedStyleSheets' in document && window.HTMLDialogElement && /^http/.test(window.origin)
  const [language] = document.documentElement.lang.toLowerCase().split('-')
  const lang = Array.isArray(texts[language]) ? language : 'en'
  const [pay, closeText, loading, openPage] = texts[lang]

  const STYLE = `
:host { all: initial !important; display: block !important; }
dialog {
  position: fixed; inset: 0; box-sizing: border-box; width: 100%; max-width: none; height: 100%; max-height: none;
  margin: 0; padding: 0; border: 0; overflow: hidden; background: none; font: 1rem/1.5 system-ui, sans-serif;
}
::backdrop { background: #000a; }
iframe { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; color-scheme: light dark; }
iframe[hidden] { display: block; visibility: hidden; }
div {
  position: absolute; inset: 30% 1rem auto; width: fit-content; margin: auto; padding: 1rem; border-radius: 16px;
  background: #fff; color: #1c1d1a; text-align: center;
}
div[hidden] { display: none; }
p { margin: 0 0 .75rem; }
button, a { color: #1b6a57; font: 600 1rem/1.5 system-ui, sans-serif; }
a { display: block; padding: .6rem 1.25rem; }
button { min-width: 44px; min-height: 44px; padding: .6rem 1.25rem; border: 1px solid; border-radius: 10px; background: none; }
:focus-visible { outline: 3px solid #1b6a57; outline-offset: 2px; }`

  /** The address of the service, without a slash at its end. A script that is part of another one does not know it. */
  let prefix = ''
  const own = [document.currentScript, ...document.scripts].find(script => script && PATH.test(script.src))
  if (own) prefix = own.src.replace(PATH, '')

  let onEnter
  let onLeave
  let onMessage = () => {}
  /** The frame, with its address, origin, last status and whether its page has come. Null: none yet. */
  let shown = null
  let modal = null
  /** The address of the checkout that opens in place of the page. */
  let page = null

  function make(name, attributes, ...children) {
    const element = document.createElement(name)
    for (const attribute in attributes) element.setAttribute(attribute, attributes[attribute])
    element.append(...children)
    return element
  }

  function pageUrl(path, fields) {
    if (!prefix) throw new Error('btcpay: the address of the service is not known. Call btcpay.setApiUrlPrefix first')
    const url = new URL(prefix + path, document.baseURI)
    if (!/^https?:$/.test(url.protocol)) throw new TypeError(`btcpay: no address of a service: ${prefix}`)
    for (const name in fields)
      if (/^(?:string|boolean|number)$/.test(typeof fields[name])) url.searchParams.set(name, fields[name])
    return url
  }

  /** The dialog around the frame, and what it says until the page in it has come. */
  function createModal() {
    const note = make('p', { role: 'status' })
    const button = make('button', { type: 'button' }, closeText)
    const box = make('div', {}, note, button)
    const dialog = make('dialog', { 'aria-label': pay, lang, dir: lang === 'ar' ? 'rtl' : 'ltr' }, box)
    const host = make('div', { class: 'zatgate-modal' })
    const root = host.attachShadow({ mode: 'open' })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(STYLE)
    root.adoptedStyleSheets = [sheet]
    root.append(dialog)
    button.addEventListener('click', tellClose)
    dialog.addEventListener('cancel', event => {
      event.preventDefault()
      tellClose()
    })
    // A browser may close it without asking.
    dialog.addEventListener('close', () => modal.isOpen && !dialog.open && tellClose())
    return { host, dialog, box, note, isOpen: false, overflow: null }
  }

  /** Reports to the page what the page in the frame reports when the buyer closes it. */
  function tellClose() {
    if (!shown) return hideFrame()
    const { origin, frame } = shown
    dispatchEvent(new MessageEvent('message', { data: 'close', origin, source: frame.contentWindow }))
  }

  /** A page that replaces its content, such as a cart, may have removed it: the frame is then lost. */
  function placeModal() {
    if (!modal) modal = createModal()
    if (modal.host.isConnected) return
    hideFrame()
    if (shown) shown.remove()
    shown = null
    const place = document.body || document.documentElement
    place.append(modal.host)
  }

  function showFrame() {
    if (!CAN_SHOW) {
      if (page) location.assign(page)
      return
    }
    placeModal()
    if (modal.isOpen) return
    if (onEnter) onEnter()
    modal.isOpen = true
    const { style } = document.documentElement
    modal.overflow = [style.getPropertyValue('overflow'), style.getPropertyPriority('overflow')]
    style.setProperty('overflow', 'hidden', 'important')
    modal.dialog.showModal()
    if (shown) shown.frame.focus()
  }

  function hideFrame() {
    if (!modal) return
    if (!modal.isOpen) return
    if (onLeave) onLeave()
    modal.isOpen = false
    document.documentElement.style.setProperty('overflow', ...modal.overflow)
    modal.dialog.close()
  }

  /** The frame of the invoice that was shown last stays as the buyer left it, such as with a swap. */
  function appendInvoiceFrame(id, params) {
    const { href: src, origin } = pageUrl('/invoice', { ...params, id, view: 'modal' })
    page = pageUrl(`/i/${encodeURIComponent(id)}`).href
    if (!CAN_SHOW) return
    placeModal()
    if (shown && shown.src === src && shown.isLoaded) return repeatStatus(shown)
    if (shown) shown.remove()
    const frame = make('iframe', { name: 'btcpay', title: pay, allow: 'clipboard-write', hidden: '', src })
    modal.note.replaceChildren(loading)
    modal.box.hidden = false
    const link = make('a', { href: page }, openPage)
    const timer = setTimeout(() => modal.note.replaceChildren(link), FRAME_MS)
    const remove = () => {
      clearTimeout(timer)
      frame.remove()
    }
    shown = { frame, src, origin, timer, remove, isLoaded: false, status: null }
    modal.dialog.append(frame)
  }

  /** The page sets what receives the messages after it has opened the frame. */
  function repeatStatus({ status }) {
    if (status) setTimeout(() => onMessage(status))
  }

  function appendAndShowInvoiceFrame(id, params) {
    appendInvoiceFrame(id, params)
    showFrame()
  }

  addEventListener('message', event => {
    const { source, origin, data } = event
    if (!shown || !source || source !== shown.frame.contentWindow || origin !== shown.origin) return
    if (data === 'loaded') {
      clearTimeout(shown.timer)
      shown.isLoaded = true
      modal.box.hidden = true
      shown.frame.hidden = false
      if (modal.isOpen) shown.frame.focus()
    }
    if (data === 'close') hideFrame()
    if (Object(data).status) shown.status = event
    onMessage(event)
  })

  window.btcpay = {
    service: NAME,
    showFrame,
    hideFrame,
    showInvoice: appendAndShowInvoiceFrame,
    appendInvoiceFrame,
    appendAndShowInvoiceFrame,
    onModalWillEnter(callback) {
      onEnter = callback
    },
    onModalWillLeave(callback) {
      onLeave = callback
    },
    onModalReceiveMessage(callback) {
      onMessage = callback
    },
    setApiUrlPrefix(url) {
      prefix = String(url).replace(/\/+$/, '')
    },
  }
})(TEXTS)
