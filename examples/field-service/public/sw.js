// Keeps the files of the page, so that it starts without a connection. What the server answers
// belongs to the replica.
self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin || pathname.startsWith('/rest')) return
  event.respondWith(fileOf(request))
})

async function fileOf(request) {
  const files = await caches.open('page')
  try {
    const response = await fetch(request)
    if (response.ok) await files.put(request, response.clone())
    return response
  } catch (error) {
    const kept = await files.match(request)
    if (kept !== undefined) return kept
    throw error
  }
}
