/* Changes the content of an element to that of another, and keeps the nodes that both have. */

/**
 * Makes `shown` equal to `next`, an element of the same name, whose nodes it may take. The nodes that stay keep their
 * focus, text selection, scroll position and open details.
 * @param isKept called with two elements: whether the shown one is already as it must be
 */
export function update(shown, next, isKept) {
  if (shown.nodeType !== Node.ELEMENT_NODE) {
    if (shown.data !== next.data) shown.data = next.data
    return
  }
  if (isKept(shown, next)) return
  for (const { name } of [...shown.attributes])
    if (name !== 'open' && !next.hasAttribute(name)) shown.removeAttribute(name)
  for (const { name, value } of next.attributes) if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
  updateChildren(shown, next, isKept)
}

function updateChildren(shown, next, isKept) {
  const pairs = pairsOf([...shown.children], next.children)
  const paired = new Set(pairs.values())
  let at = shown.firstChild
  const skip = () => {
    const removed = at
    at = at.nextSibling
    removed.remove()
  }
  for (const child of [...next.childNodes]) {
    const node = pairs.get(child) ?? (at && !paired.has(at) && isAlike(at, child) ? at : null)
    if (node === null) {
      shown.insertBefore(child, at)
      continue
    }
    while (at !== node) skip()
    at = node.nextSibling
    update(node, child, isKept)
  }
  while (at) skip()
}

/** Pairs elements in their order: by their id, or if they are equal or, such as details that are open, have the same text. */
function pairsOf(shown, next) {
  const pairs = new Map()
  let from = 0
  for (const child of next) {
    const rest = shown.slice(from)
    const node =
      rest.find(node => (child.id ? isAlike(node, child) : node.isEqualNode(child))) ??
      rest.find(node => isAlike(node, child) && node.textContent === child.textContent)
    if (!node) continue
    pairs.set(child, node)
    from = shown.indexOf(node) + 1
  }
  return pairs
}

function isAlike(node, other) {
  return node.nodeName === other.nodeName && node.id === other.id
}
