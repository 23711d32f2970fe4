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

/** Starts the countdowns of `data-left` seconds, by differences of the reader's clock: its time of day may be wrong. */
function startCountdowns(root) {
  const countdowns = root.querySelectorAll('[data-left]')
  if (countdowns.length === 0) return
  clockOffset = offsetOfClock()
  for (const countdown of countdowns) setEnd(countdown, countdown.dataset.left)
  showCountdowns()
  startCountdowns.timer ??= setInterval(showCountdowns, 1000)
}

function setEnd(countdown, secs) {
  countdown.endsAt = Date.now() + Number(secs) * 1000
}

/** Changes when the clock is set, and where the other one stands still while the device sleeps. */
const offsetOfClock = () => Date.now() - performance.now()
let clockOffset = offsetOfClock()

function showCountdowns() {
  if (Math.abs(offsetOfClock() - clockOffset) > 2000) {
    clockOffset = offsetOfClock()
    run('whole page')
  }
  for (const countdown of document.querySelectorAll('[data-left]')) {
    const left = Math.max(0, Math.ceil((countdown.endsAt - Date.now()) / 1000))
    const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60]
    const rest = [minutes, seconds].map(part => String(part).padStart(2, '0')).join(':')
    countdown.textContent = hours > 0 ? `${hours}:${rest}` : rest
    showTimeUp(countdown, left === 0)
  }
}

/** Hides what must not be paid once the time is up, also while the server cannot be reached. It decides what follows. */
function showTimeUp(countdown, isUp) {
  const root = countdown.closest('[data-live]')
  for (const open of root?.querySelectorAll('[data-while-open]') ?? []) open.hidden = isUp
  for (const over of root?.querySelectorAll('[data-when-over]') ?? []) over.hidden = !isUp
  if (isUp && !countdown.isUp) run()
  countdown.isUp = isUp
}

function enhance(root) {
  localiseTimes(root)
  enableCopyButtons(root)
  startCountdowns(root)
}

/** Fetches this page, if one of its live elements has changed or `whole` is set, and replaces those that have changed. */
async function refresh(whole) {
  const states = [...document.querySelectorAll('[data-live]')].map(({ dataset }) => dataset.state)
  const shown = !whole && states.length > 0 && { 'if-none-match': `W/"${states.join('.')}"` }
  const response = await fetch(location.href, { headers: { accept: 'text/html', ...shown } })
  if (response.status === 304) return
  if (response.status === 429 || response.status >= 500) throw new Error(response.statusText)
  if (!response.ok || response.redirected) return
  const fetched = new DOMParser().parseFromString(await response.text(), 'text/html')
  document.title = fetched.title
  for (const shown of document.querySelectorAll('[data-live]')) {
    const next = fetched.getElementById(shown.id)
    if (!next) continue
    if (next.dataset.state === shown.dataset.state) takeTimeLeft(shown, next)
    else replaceContent(shown, next)
  }
}

function replaceContent(shown, next) {
  const focused = shown.contains(document.activeElement) ? document.activeElement.id : ''
  shown.replaceChildren(...next.childNodes)
  shown.dataset.state = next.dataset.state
  enhance(shown)
  announce(shown)
  if (focused) document.getElementById(focused)?.focus()
}

/** After a sleep or a correction of the reader's clock the countdown is wrong until then. */
function takeTimeLeft(shown, next) {
  const countdowns = next.querySelectorAll('[data-left]')
  for (const [i, countdown] of shown.querySelectorAll('[data-left]').entries())
    if (countdowns[i]) setEnd(countdown, countdowns[i].dataset.left)
}

/** Announces the change to screen readers. */
function announce(root) {
  const text = root.querySelector('[data-announce]')?.textContent.trim()
  const liveRegion = document.querySelector('[data-announcer]')
  if (text && liveRegion && liveRegion.textContent !== text) liveRegion.textContent = text
}

/** Tells that the page may be out of date: at once when the browser is offline, else after the second failure. */
function showStale(failures) {
  const note = document.querySelector('[data-stale]')
  if (note) note.hidden = failures === 0 || (failures === 1 && navigator.onLine)
}

let failures = 0
let running = false
let requested = false
let wholeRequested = false

/**
 * Refreshes the page: one refresh at a time, and one more if another was requested meanwhile. With `whole` (or the event
 * that calls it) the time that is left is taken from the server again too.
 */
async function run(whole) {
  requested = true
  wholeRequested ||= Boolean(whole)
  if (running) return
  running = true
  while (requested) {
    requested = false
    const wanted = wholeRequested
    wholeRequested = false
    failures = await refresh(wanted).then(
      () => 0,
      () => {
        wholeRequested ||= wanted
        return failures + 1
      },
    )
    showStale(failures)
  }
  running = false
}

/** Subscribes to an invoice over its WebSocket. Also polls, since the page tells more than the messages do. */
function subscribe(invoiceId) {
  let delayMs = 1000
  let finished = false
  const connect = () => {
    const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/v1/invoices/${invoiceId}/ws`)
    socket.addEventListener('open', () => {
      delayMs = 1000
    })
    socket.addEventListener('message', () => run())
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
  const timer = setInterval(() => {
    run()
    times -= 1
    if (times <= 0) clearInterval(timer)
  }, 1500)
}

/** Refreshes the page every ten seconds while it contains `data-recheck`. */
function pollWhileUnresolved() {
  setInterval(() => {
    if (!document.hidden && document.querySelector('[data-recheck]')) run()
  }, 10_000)
}

/** Refreshes the page when it is seen again, and when the connection comes or goes. */
function followReader() {
  addEventListener('online', run)
  addEventListener('offline', run)
  addEventListener('pageshow', event => event.persisted && run(event))
  document.addEventListener('visibilitychange', event => document.hidden || run(event))
}

enhance(document)
// The time that was left is older than the page when that came slowly.
if (performance.now() > 2000 && document.querySelector('[data-left]')) run('whole page')
if (document.querySelector('[data-awaiting]')) pollTimes(8)
if (document.querySelector('[data-announcer], [data-recheck]')) pollWhileUnresolved()
if (document.querySelector('[data-announcer]')) followReader()
const subscribed = document.querySelector('[data-live-invoice]')
if (subscribed) subscribe(subscribed.dataset.liveInvoice)
