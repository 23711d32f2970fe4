/* Sends the statuses of the invoice and the height of the content to the page around the frame. */

/** The origin of that page, which then is the only one that gets messages. Undefined: the page did not name it. */
const { parent: shop } = document.querySelector('main').dataset

/** A page that did not name its origin knows the invoice already, so it may be of any. */
function send(message) {
  if (parent !== window) parent.postMessage(message, shop ?? '*')
}

if (shop !== undefined) {
  send({ type: 'zatgate:ready' })
  addEventListener('keydown', ({ key, defaultPrevented, isComposing }) => {
    if (key === 'Escape' && !defaultPrevented && !isComposing) send({ type: 'zatgate:close' })
  })
}

let sent = ''
function sendStatus() {
  const { status, swapStatus } = document.querySelector('[data-status]')?.dataset ?? {}
  const message = { type: 'zatgate:status', status, ...(swapStatus && { swap_status: swapStatus }) }
  if (status === undefined || sent === JSON.stringify(message)) return
  sent = JSON.stringify(message)
  send(message)
}

sendStatus()
const live = document.getElementById('live')
const statuses = { subtree: true, childList: true, attributeFilter: ['data-status', 'data-swap-status'] }
if (live) new MutationObserver(sendStatus).observe(live, statuses)

new ResizeObserver(() => {
  send({ type: 'zatgate:height', height: Math.ceil(document.body.getBoundingClientRect().height) })
}).observe(document.body)
