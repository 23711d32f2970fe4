/* Progressive enhancement: every page also works without this script. */

const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const shortFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Shows times in the reader's time zone, with the exact time as tooltip. */
function localiseTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const date = new Date(time.dateTime)
    time.textContent = shortFormat.format(date)
    time.title = `${exactFormat.format(date)} · ${time.dateTime}`
  }
}

/** Copies text. Pages over plain HTTP and frames without the permission lack the clipboard, so an older way follows. */
async function copy(button) {
  const text = button.dataset.copy
  try {
    await navigator.clipboard.writeText(text)
    return 'Copied'
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    button.after(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    button.focus()
    return isCopied ? 'Copied' : 'Not copied'
  }
}

/** Enables copy buttons, which are hidden without this script. `data-copy` holds the text to copy. */
function enableCopyButtons(root) {
  for (const button of root.querySelectorAll('button[data-copy]')) {
    const label = button.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      button.textContent = await copy(button)
      setTimeout(() => {
        button.textContent = label
      }, 1500)
    })
  }
}

/** Starts countdowns to `data-until` (Unix seconds). */
function startCountdowns(root) {
  const countdowns = [...root.querySelectorAll('[data-until]')]
  const update = () => {
    for (const countdown of countdowns) {
      const left = Math.max(0, Number(countdown.dataset.until) - Math.floor(Date.now() / 1000))
      const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60]
      const rest = [minutes, seconds].map(part => String(part).padStart(2, '0')).join(':')
      countdown.textContent = hours > 0 ? `${hours}:${rest}` : rest
    }
  }
  if (countdowns.length === 0) return
  update()
  clearInterval(startCountdowns.timer)
  startCountdowns.timer = setInterval(update, 1000)
}

function enhance(root) {
  localiseTimes(root)
  enableCopyButtons(root)
  startCountdowns(root)
}

/** Fetches this page again and replaces the live elements that have changed. */
async function refresh() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok || response.redirected) return
  const fetched = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const shown of document.querySelectorAll('[data-live]')) {
    const next = fetched.getElementById(shown.id)
    if (!next || next.dataset.state === shown.dataset.state) continue
    const focused = shown.contains(document.activeElement) ? document.activeElement.id : ''
    shown.replaceChildren(...next.childNodes)
    shown.dataset.state = next.dataset.state
    enhance(shown)
    announce(shown)
    if (focused) document.getElementById(focused)?.focus()
  }
}

/** Announces the change to screen readers. */
function announce(root) {
  const text = root.querySelector('[data-announce]')?.textContent.trim()
  const liveRegion = document.querySelector('[data-live-invoice]')
  if (text && liveRegion && liveRegion.textContent !== text) liveRegion.textContent = text
}

/** Runs one refresh at a time, and one more if another was requested meanwhile. */
function createRefresher() {
  let running = false
  let requested = false
  return async function run() {
    requested = true
    if (running) return
    running = true
    while (requested) {
      requested = false
      await refresh().catch(() => undefined)
    }
    running = false
  }
}

/** Subscribes to an invoice over its WebSocket. Also polls, since no message is sent for further confirmations. */
function subscribe(invoiceId) {
  const run = createRefresher()
  let delayMs = 1000
  let finished = false
  const connect = () => {
    const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/v1/invoices/${invoiceId}/ws`)
    socket.addEventListener('open', () => {
      delayMs = 1000
    })
    socket.addEventListener('message', run)
    socket.addEventListener('close', ({ code }) => {
      finished = code === 1000
      // Results of the final status, such as a webhook delivery, appear within seconds.
      if (finished) return pollTimes(6)
      setTimeout(connect, delayMs)
      delayMs = Math.min(delayMs * 2, 30_000)
    })
  }
  connect()
  setInterval(() => {
    if (!document.hidden && !finished) run()
  }, 5000)
}

/** Refreshes a number of times, until the result of the last action has appeared. */
function pollTimes(times) {
  const run = createRefresher()
  const timer = setInterval(() => {
    run()
    times -= 1
    if (times <= 0) clearInterval(timer)
  }, 1500)
}

/** Refreshes the page every ten seconds while it contains `data-recheck`. */
function pollWhileUnresolved() {
  const run = createRefresher()
  const timer = setInterval(() => {
    if (!document.querySelector('[data-recheck]')) clearInterval(timer)
    else if (!document.hidden) run()
  }, 10_000)
}

enhance(document)
if (document.querySelector('[data-awaiting]')) pollTimes(8)
if (document.querySelector('[data-recheck]')) pollWhileUnresolved()
const subscribed = document.querySelector('[data-live-invoice]')
if (subscribed) subscribe(subscribed.dataset.liveInvoice)
