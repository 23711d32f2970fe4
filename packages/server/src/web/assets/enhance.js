/* What the pages do better with a script. Every page works without. */

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const brief = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Says moments in the reader's zone; the exact one shows on hover. */
function localiseTimes(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const moment = new Date(time.dateTime)
    time.textContent = brief.format(moment)
    time.title = `${exact.format(moment)} · ${time.dateTime}`
  }
}

/** `[data-copy]` holds what a button copies; without a script there is no button to see. */
function offerCopying(root) {
  for (const button of root.querySelectorAll('button[data-copy]')) {
    const label = button.textContent
    button.hidden = false
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = label
      }, 1500)
    })
  }
}

/** Counts down to `[data-until]` (Unix seconds). */
function countDown(root) {
  const clocks = [...root.querySelectorAll('[data-until]')]
  const tell = () => {
    for (const clock of clocks) {
      const left = Math.max(0, Number(clock.dataset.until) - Math.floor(Date.now() / 1000))
      const [hours, minutes, seconds] = [Math.floor(left / 3600), Math.floor(left / 60) % 60, left % 60]
      const tail = [minutes, seconds].map(part => String(part).padStart(2, '0')).join(':')
      clock.textContent = hours > 0 ? `${hours}:${tail}` : tail
    }
  }
  if (clocks.length === 0) return
  tell()
  clearInterval(countDown.timer)
  countDown.timer = setInterval(tell, 1000)
}

function enhance(root) {
  localiseTimes(root)
  offerCopying(root)
  countDown(root)
}

/** Fetches this page again and puts its live parts in the place of those shown. */
async function refresh() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } })
  if (!response.ok || response.redirected) return
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  for (const shown of document.querySelectorAll('[data-live]')) {
    const next = fresh.getElementById(shown.id)
    if (!next || next.dataset.state === shown.dataset.state) continue
    const focused = shown.contains(document.activeElement) ? document.activeElement.id : ''
    shown.replaceChildren(...next.childNodes)
    shown.dataset.state = next.dataset.state
    enhance(shown)
    announce(shown)
    if (focused) document.getElementById(focused)?.focus()
  }
}

/** Says what has changed to those who do not see it. */
function announce(root) {
  const news = root.querySelector('[data-announce]')?.textContent.trim()
  const voice = document.querySelector('[data-follow]')
  if (news && voice && voice.textContent !== news) voice.textContent = news
}

/** One refresh at a time, and one more when something happened meanwhile. */
function createRefresher() {
  let running = false
  let again = false
  return async function run() {
    again = true
    if (running) return
    running = true
    while (again) {
      again = false
      await refresh().catch(() => undefined)
    }
    running = false
  }
}

/** Follows an invoice over its WebSocket, and by the clock, since blocks that only confirm are told by no message. */
function follow(invoice) {
  const run = createRefresher()
  let pause = 1000
  let settled = false
  const connect = () => {
    const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/v1/invoices/${invoice}/ws`)
    socket.addEventListener('open', () => {
      pause = 1000
    })
    socket.addEventListener('message', run)
    socket.addEventListener('close', ({ code }) => {
      settled = code === 1000
      // What follows from the end, such as a webhook's delivery, shows within seconds.
      if (settled) return lookAgain(6)
      setTimeout(connect, pause)
      pause = Math.min(pause * 2, 30_000)
    })
  }
  connect()
  setInterval(() => {
    if (!document.hidden && !settled) run()
  }, 5000)
}

/** Looks again for a while: what was just sent is answered within seconds. */
function lookAgain(times) {
  const run = createRefresher()
  const timer = setInterval(() => {
    run()
    times -= 1
    if (times <= 0) clearInterval(timer)
  }, 1500)
}

/** Refreshes the page now and then while it shows a notice that goes away by itself. */
function recheck() {
  const run = createRefresher()
  const timer = setInterval(() => {
    if (!document.querySelector('[data-recheck]')) clearInterval(timer)
    else if (!document.hidden) run()
  }, 10_000)
}

enhance(document)
if (document.querySelector('[data-awaiting]')) lookAgain(8)
if (document.querySelector('[data-recheck]')) recheck()
const followed = document.querySelector('[data-follow]')
if (followed) follow(followed.dataset.follow)
