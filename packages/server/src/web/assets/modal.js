/*
 * The checkout in the frame that `btcpay.js` opens: tells the page around it that it is shown, what the status of the
 * invoice is, and that the buyer closes it. Who frames the page knows the id, and with it the status, so any page may get
 * them.
 */

const [, , invoiceId] = location.pathname.split('/')
const send = message => parent.postMessage(message, '*')

let sent
function sendStatus() {
  const status = document.querySelector('[data-greenfield-status]')?.dataset.greenfieldStatus
  if (status === undefined || status === sent) return
  sent = status
  send({ invoiceId, status })
}

if (parent !== window) {
  const close = document.querySelector('[data-close]')
  close.hidden = false
  close.addEventListener('click', () => send('close'))
  addEventListener('keydown', ({ key, defaultPrevented, isComposing }) => {
    if (key === 'Escape' && !defaultPrevented && !isComposing) send('close')
  })
  send('loaded')
  sendStatus()
  const live = document.getElementById('live')
  const statuses = { subtree: true, childList: true, attributeFilter: ['data-greenfield-status'] }
  if (live) new MutationObserver(sendStatus).observe(live, statuses)
}
