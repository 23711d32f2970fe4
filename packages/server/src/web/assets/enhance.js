/* Progressive enhancement: every page also works without this script. */

/** A page for buyers has a language; the others are in English, and their times in the format of the reader's system. */
const { body, documentElement } = document
const isForBuyers = body.classList.contains('buyer')
const locale = isForBuyers ? `${documentElement.lang}-u-nu-latn` : undefined

const exactFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })
const shortFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const secondsFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const clockFormat = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
const dayFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
const relativeFormat = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })

/** Units of relative times, in seconds, each with the age up to which it is used. */
const UNITS = [
  ['minute', 60, 3_600],
  ['hour', 3_600, 86_400],
  ['day', 86_400, 7 * 86_400],
]
/** How often relative times are set anew. */
const RELATIVE_MS = 30_000

/** Shows times in the reader's time zone, with the exact time as tooltip, and the buttons that need this script. */
export function enhance(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const date = new Date(time.dateTime)
    time.textContent = textOf(time, date)
    time.title = `${exactFormat.format(date)} · ${time.dateTime}`
  }
  for (const button of root.querySelectorAll('button[data-copy], button[data-print]')) button.hidden = false
}

function textOf({ dataset }, date) {
  if ('seconds' in dataset) return secondsFormat.format(date)
  if ('relative' in dataset) return relativeText(date)
  // A time of today needs no date for a buyer.
  const isToday = isForBuyers && date.toDateString() === new Date().toDateString()
  return (isToday ? clockFormat : shortFormat).format(date)
}

/** `5 min. ago`; after a week, the day. */
function relativeText(date) {
  const secs = Math.round((date.getTime() - Date.now()) / 1000)
  const age = Math.abs(secs)
  if (age < 60) return relativeFormat.format(0, 'second')
  const [unit, length] = UNITS.find(([, , end]) => age < end) ?? []
  return unit === undefined ? dayFormat.format(date) : relativeFormat.format(Math.trunc(secs / length), unit)
}

/** Relative times grow older. Only those whose text has changed are touched. */
function keepRelative() {
  if (document.hidden) return
  for (const time of document.querySelectorAll('time[data-relative]')) {
    const text = relativeText(new Date(time.dateTime))
    if (time.textContent !== text) time.textContent = text
  }
}

/** Copies text. Pages over plain HTTP and frames without the permission lack the clipboard, so an older way follows. */
async function copy(button) {
  const text = button.dataset.copy
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    button.after(field)
    field.select()
    const isCopied = document.execCommand('copy')
    field.remove()
    button.focus()
    return isCopied
  }
}

/** Tells a screen reader, which has read the label of the button. */
function announce(text) {
  announce.region ??= Object.assign(document.createElement('p'), { className: 'unseen', role: 'status' })
  if (!announce.region.isConnected) body.append(announce.region)
  announce.region.textContent = text
}

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-copy]')
  if (!button) return
  button.label ??= button.textContent
  const { copied = 'Copied', notCopied = 'Not copied' } = body.dataset
  button.textContent = (await copy(button)) ? copied : notCopied
  announce(button.textContent)
  clearTimeout(button.timer)
  button.timer = setTimeout(() => {
    button.textContent = button.label
    announce('')
  }, 1500)
})

document.addEventListener('click', ({ target }) => {
  if (target.closest('button[data-print]')) print()
})

/* A time in a row stands above its link, so that it can show its tooltip. A click on it opens the row. */
document.addEventListener('click', event => {
  const link = event.target.closest('.rows time')?.closest('tr, li')?.querySelector('a.row')
  if (link && event.isTrusted) link.dispatchEvent(new MouseEvent('click', event))
})

enhance(document)
if (document.querySelector('time[data-relative]')) {
  setInterval(keepRelative, RELATIVE_MS)
  document.addEventListener('visibilitychange', keepRelative)
}
