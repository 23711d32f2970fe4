/* Leads back to the shop once the invoice is paid. Without this script the page has a refresh for a short time. */

const WAIT_MS = 3_000

const note = document.querySelector('[data-redirect]')
const linkToShop = () => document.querySelector('a[data-success]')
/** The shop may link back to this page, which then stays: it leads there once in each tab. */
const key = `redirected ${location.pathname}`
let isLeaving = false

/** Null: the browser has no storage. */
function isRemembered() {
  try {
    return sessionStorage.getItem(key) !== null
  } catch {
    return null
  }
}

function leaveSoon() {
  isLeaving = true
  if (isRemembered() !== null) sessionStorage.setItem(key, '1')
  note.textContent = note.dataset.redirect
  setTimeout(leave, WAIT_MS)
}

/** Replaces this page in the history, so that the way back from the shop does not end here. */
function leave() {
  const link = linkToShop()
  if (link) location.replace(link.href)
}

function watch() {
  if (!isLeaving && linkToShop() && !isRemembered()) leaveSoon()
}

if (!linkToShop()) new MutationObserver(watch).observe(document.body, { childList: true, subtree: true })
// A page that is opened paid leads there only if that was a short time ago, and if it can remember it.
else if (note.dataset.recent !== undefined && isRemembered() === false) leaveSoon()
