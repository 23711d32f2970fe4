/* Keeps one page and its style sheet, and shows it when the keypad has no connection. Nothing else is ever kept. */

const OFFLINE = '/pos/offline'
const style = new URL(location.href).searchParams.get('style') ?? ''
const kept = [OFFLINE, ...(style.startsWith('/assets/') ? [style] : [])]
const name = `keypad ${style}`

self.addEventListener('install', event => {
  event.waitUntil(caches.open(name).then(cache => cache.addAll(kept)))
  self.skipWaiting()
})

self.addEventListener('activate', event => {
  const removeOthers = async () => {
    for (const other of await caches.keys()) if (other !== name) await caches.delete(other)
  }
  event.waitUntil(removeOthers().then(() => self.clients.claim()))
})

self.addEventListener('fetch', event => {
  const { request } = event
  const isPage = request.mode === 'navigate'
  const path = new URL(request.url).pathname
  if (request.method !== 'GET' || (!isPage && path !== style)) return
  event.respondWith(
    fetch(request).catch(async error => {
      const answer = await caches.match(isPage ? OFFLINE : path)
      if (!answer) throw error
      return answer
    }),
  )
})
