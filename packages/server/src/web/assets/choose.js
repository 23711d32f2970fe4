/* Filters the list of assets while the buyer types, and puts those that this browser has used before first. */

const MAX_RECENT = 5
const KEY = 'zatgate-assets'

const list = document.getElementById('assets')
const field = document.getElementById('q')
const shown = Number(list.dataset.shown)

/** Empty where the browser keeps nothing for this page, as in some frames. */
function recentAssets() {
  try {
    const ids = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(ids) ? ids.filter(id => typeof id === 'string').slice(0, MAX_RECENT) : []
  } catch {
    return []
  }
}

function remember(asset) {
  try {
    localStorage.setItem(
      KEY,
      JSON.stringify([asset, ...recentAssets().filter(id => id !== asset)].slice(0, MAX_RECENT)),
    )
  } catch {
    // The list then keeps its order.
  }
}

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const item of list.children) {
    const matches = words.every(word => item.dataset.find.includes(word))
    if (matches) found += 1
    item.hidden = !matches || found > shown
  }
  document.querySelector('[data-no-match]').hidden = found > 0
  document.querySelector('[data-more]').hidden = found <= shown
  return found
}

for (const id of recentAssets().reverse()) {
  const item = [...list.children].find(({ firstElementChild }) => firstElementChild.dataset.asset === id)
  if (item) list.prepend(item)
}
filter()
field.addEventListener('input', filter)
// The list may be longer than the page has it.
field.form.addEventListener('submit', event => filter() > 0 && event.preventDefault())
list.addEventListener('click', ({ target }) => {
  const link = target.closest('[data-asset]')
  if (link) remember(link.dataset.asset)
})
