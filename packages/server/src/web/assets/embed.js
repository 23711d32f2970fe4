/* Sends the statuses of the invoice and the height of the content to the page around the frame. */

/** The page around the frame knows the invoice already, so it may be of any origin. */
function send(message) {
  if (parent !== window) parent.postMessage(message, '*')
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
