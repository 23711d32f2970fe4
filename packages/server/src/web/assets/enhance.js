/* Progressive enhancement: every page also works without this script. */

const exactFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const shortFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const secondsFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** Shows times in the reader's time zone, with the exact time as tooltip, and the copy buttons, which need this script. */
export function enhance(root) {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const date = new Date(time.dateTime)
    time.textContent = ('seconds' in time.dataset ? secondsFormat : shortFormat).format(date)
    time.title = `${exactFormat.format(date)} · ${time.dateTime}`
  }
  for (const button of root.querySelectorAll('button[data-copy]')) button.hidden = false
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

document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button[data-copy]')
  if (!button) return
  button.label ??= button.textContent
  button.textContent = await copy(button)
  clearTimeout(button.timer)
  button.timer = setTimeout(() => {
    button.textContent = button.label
  }, 1500)
})

enhance(document)
