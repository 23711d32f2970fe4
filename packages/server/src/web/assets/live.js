/* Keeps an open page up to date. Without this script the page reloads itself. */
import { enhance } from './enhance.js'
import { update } from './morph.js'

/** Milliseconds until the page asks for changes again. */
const WAIT = {
  /** The result of the last action appears within seconds. */
  result: 1_500,
  /** The service does not respond, or the invoice has no WebSocket at the moment. */
  unconnected: 5_000,
  /** The content has `data-recheck`: changes that no WebSocket reports. */
  recheck: 10_000,
  /** The WebSocket reports the changes of the invoice; this finds the rest, such as an attempt of a delivery. */
  connected: 15_000,
  /** The service tells the page of all its changes. */
  followed: 300_000,
}
/** A page that is followed hears something every 30 seconds. After this silence its connection is lost. */
const SILENCE_MS = 75_000
/** How often the page looks whether the device has slept. */
const SLEEP_CHECK_MS = 5_000
const FINAL = ['paid', 'underpaid', 'expired']
const RESPONSE_MS = 15_000
/** While two versions of the service respond in turn, an open page is not reloaded all the time. */
const RELOAD_AFTER_MS = 60_000

/** That of the files of this page, which is part of their path. */
const version = new URL(import.meta.url).pathname.split('/').at(-2)
const announcer = document.querySelector('[data-announcer]')
const { liveInvoice: invoiceId, followed } = announcer.dataset
/** The service tells the page of all its changes, not only of those of the status. */
const isFollowed = followed !== undefined

const announcedText = () => document.querySelector('[data-announce]')?.textContent.trim()
const partsOf = root => [...root.querySelectorAll('live-part')]

/* Countdowns */

/** Changes when the clock is set, and where the other one stands still while the device sleeps. */
const offsetOfClock = () => Date.now() - performance.now()
let clockOffset = offsetOfClock()
/** False: the countdowns must get the time that is left from the server. */
let isTimeLeftKnown = true

/** Counts down `data-left` seconds by differences of the reader's clock: its time of day may be wrong. */
function setTimeLeft(countdown, secs) {
  countdown.endsAt = Date.now() + Number(secs) * 1000
}

function startCountdowns() {
  if (!document.querySelector('[data-left]')) return
  showCountdowns()
  startCountdowns.timer ??= setInterval(showCountdowns, 1_000)
}

/** A connection does not always outlive the sleep of its device, and the browser may learn it late. */
function checkClock() {
  if (Math.abs(offsetOfClock() - clockOffset) <= 2000) return
  clockOffset = offsetOfClock()
  askForAll()
  if (isFollowed && isConnected) reconnect()
}

function showCountdowns() {
  checkClock()
  for (const countdown of document.querySelectorAll('[data-left]')) {
    if (countdown.endsAt === undefined) setTimeLeft(countdown, countdown.dataset.left)
    const left = Math.max(0, Math.ceil((countdown.endsAt - Date.now()) / 1000))
    const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60]
    const rest = [minutes, seconds].map(part => String(part).padStart(2, '0')).join(':')
    countdown.textContent = hours > 0 ? `${hours}:${rest}` : rest
    showBar(countdown.closest('.time')?.querySelector('progress'), left)
    showTimeUp(countdown, left === 0)
  }
}

function showBar(bar, left) {
  if (!bar) return
  bar.value = left
  bar.hidden = false
}

/** Hides what must not be paid once the time is up, also while the server cannot be reached. It decides what follows. */
function showTimeUp(countdown, isUp) {
  const part = countdown.closest('live-part')
  for (const open of part.querySelectorAll('[data-while-open]')) open.hidden = isUp
  for (const over of part.querySelectorAll('[data-when-over]')) over.hidden = !isUp
  if (isUp && !countdown.isUp) ask()
  countdown.isUp = isUp
}

/* Requests */

/** Requests that failed since the last response. */
let failures = 0
/** Requests that follow each other quickly. */
let quickRequests = announcer.dataset.awaiting === undefined ? 0 : 8
let timer
/** One request at a time, and one more if a change was reported meanwhile. */
let state = 'idle'

/** Asks for the parts that have changed. */
async function ask() {
  if (state !== 'idle') {
    state = 'ask again'
    return
  }
  do {
    state = 'asking'
    failures = await refresh().then(
      () => 0,
      () => failures + 1,
    )
  } while (state === 'ask again')
  state = 'idle'
  showStale()
  askLater()
}

/** Asks for the time that is left too. */
function askForAll() {
  isTimeLeftKnown = false
  ask()
}

function askLater() {
  clearTimeout(timer)
  const ms = waitMs()
  if (ms !== null) timer = setTimeout(() => (document.hidden && quickRequests === 0 ? askLater() : askNow()), ms)
}

function askNow() {
  quickRequests = Math.max(0, quickRequests - 1)
  ask()
}

function waitMs() {
  if (quickRequests > 0) return WAIT.result
  if (failures > 0) return WAIT.unconnected
  if (invoiceId !== undefined && !isOver())
    return isConnected ? (isFollowed ? WAIT.followed : WAIT.connected) : WAIT.unconnected
  return document.querySelector('[data-recheck]') ? WAIT.recheck : null
}

/** Fetches the live parts that have changed since they were shown. @throws if the service does not respond as it should */
async function refresh() {
  const asksForTime = !isTimeLeftKnown
  isTimeLeftKnown = true
  try {
    const known = partsOf(document).filter(part => !asksForTime || !part.querySelector('[data-left]'))
    const response = await fetch(location.href, {
      headers: { accept: 'text/html', 'live-parts': 'changed', 'if-none-match': tagOf(known) },
      signal: AbortSignal.timeout(RESPONSE_MS),
    })
    if (response.status === 410) return location.reload()
    if (response.status === 429 || response.status >= 500) throw new Error(response.statusText)
    if (!response.ok || response.redirected) return
    if (isOfOtherVersion(response) && performance.now() > RELOAD_AFTER_MS) location.reload()
    else show(new DOMParser().parseFromString(await response.text(), 'text/html'))
  } catch (error) {
    if (asksForTime) isTimeLeftKnown = false
    throw error
  }
}

/** The ETag of what this page shows, as the service makes it. */
function tagOf(parts) {
  return `W/"${[version, ...parts.map(({ dataset }) => dataset.state)].join('.')}"`
}

function isOfOtherVersion(response) {
  const tag = response.headers.get('etag')
  return tag !== null && !tag.includes(`"${version}.`)
}

function show(fetched) {
  // A part inside another one comes without its content if this page has it.
  for (const part of partsOf(fetched)) if (!part.hasChildNodes()) part.append(...copyOf(part.dataset.state))
  enhance(fetched)
  const announcedBefore = announcedText()
  const focused = document.activeElement
  if (fetched.title) document.title = fetched.title
  for (const next of partsOf(fetched)) {
    const shown = document.getElementById(next.id)
    if (shown && !next.parentElement.closest('live-part')) update(shown, next, isKept)
  }
  startCountdowns()
  if (focused.id && !focused.isConnected) document.getElementById(focused.id)?.focus()
  const text = announcedText()
  if (text && text !== announcedBefore) announcer.textContent = text
}

function copyOf(state) {
  return document.querySelector(`live-part[data-state="${state}"]`)?.cloneNode(true).childNodes ?? []
}

/** Keeps the label of a copy button, which says that it has copied, and the text of a countdown. */
function isKept(shown, next) {
  const { left, copy } = next.dataset
  if (left === undefined || shown.endsAt === undefined) return copy !== undefined && copy === shown.dataset.copy
  setTimeLeft(shown, left)
  return true
}

/** Tells that the page may be out of date: at once when the browser is offline, else after the second failure. */
function showStale() {
  const note = document.querySelector('[data-stale]')
  if (note) note.hidden = failures === 0 || (failures === 1 && navigator.onLine)
}

/* The WebSocket of the invoice. It reports that the page has changed. */

let socket
let isConnected = false
/** The service has said that nothing more is reported. */
let isEnded = false
let retryMs = 1_000
let silence

/** Whether the page no longer changes by a report. The content tells it where no WebSocket can be opened. */
function isOver() {
  if (isEnded || !isFollowed) return isEnded
  const status = document.querySelector('[data-status]')?.dataset.status
  return FINAL.includes(status) && !document.querySelector('[data-recheck]')
}

function connect() {
  const path = isFollowed ? `/i/${invoiceId}/ws` : `/v1/invoices/${invoiceId}/ws`
  const opened = new WebSocket(`${location.origin.replace('http', 'ws')}${path}`)
  socket = opened
  opened.addEventListener('open', () => {
    isConnected = true
    retryMs = 1_000
    expectMessage()
  })
  opened.addEventListener('message', ({ data }) => {
    if (opened !== socket) return
    expectMessage()
    if (data !== '') ask()
  })
  opened.addEventListener('close', ({ code }) => {
    if (opened !== socket) return
    isConnected = false
    clearTimeout(silence)
    isEnded = code === 1000
    if (isEnded) {
      // Results of the final status, such as the delivery of a webhook.
      if (!isFollowed) quickRequests = 6
    } else if (!isOver()) {
      // Not all pages at once after a restart of the service.
      setTimeout(connect, retryMs * (0.5 + Math.random()))
      retryMs = Math.min(retryMs * 2, 30_000)
    }
    askLater()
  })
}

function expectMessage() {
  clearTimeout(silence)
  if (isFollowed) silence = setTimeout(reconnect, SILENCE_MS)
}

/** Replaces a connection that may be lost. The new one begins with a message. */
function reconnect() {
  clearTimeout(silence)
  const lost = socket
  isConnected = false
  connect()
  lost.close()
  askLater()
}

startCountdowns()
// The time that was left is older than the page when that came slowly.
if (performance.now() > 2_000 && document.querySelector('[data-left]')) askForAll()
addEventListener('online', ask)
addEventListener('offline', ask)
addEventListener('pageshow', ({ persisted }) => persisted && askForAll())
document.addEventListener('visibilitychange', () => document.hidden || askForAll())
if (invoiceId !== undefined) {
  connect()
  setInterval(checkClock, SLEEP_CHECK_MS)
}
askLater()
