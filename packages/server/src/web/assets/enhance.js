/* Progressive enhancement: every page also works without this script. */

/** A page for buyers has a language; the others are in English, and their times in the format of the reader's system. */
const { body, documentElement } = document
const isForBuyers = body.classList.contains('buyer')
const locale = isForBuyers ? `${documentElement.lang}-u-nu-latn` : undefined

const exactFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })
const shortFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const secondsFormat = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })
const clockFormat = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })

/** A time of today needs no date for a buyer. */
function formatOf(time, date) {
  if ('seconds' in time.dataset) return secondsFormat
  return isForBuyers && date.toDateString() === new Date().toDateString() ? clockFormat : shortFormat
}

/** Shows times in the reader's time zone, with the exact time as tooltip, and the copy buttons, which need this script. */
export function enhance(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const date = new Date(time.dateTime)
    time.textContent = formatOf(time, date).format(date)
    time.title = `${exactFormat.format(date)} · ${time.dateTime}`
  }
  for (const button of root.querySelectorAll('button[data-copy]')) button.hidden = false
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

enhance(document)
