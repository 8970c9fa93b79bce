/** What readers type into the search of the site, and the place that answers it. */
export const searchTasks: ReadonlyMap<string, string> = new Map([
  ['pagination', 'reference/http#parameters'],
  ['auth', 'how-to/permissions'],
  ['cloudflare', 'how-to/workers'],
  ['table scan', 'explanation/plans'],
  ['offline', 'how-to/replicas'],
  ['full text', 'how-to/search'],
  ['upload', 'reference/http#images-and-blobs'],
  ['login', 'how-to/permissions'],
  ['jwt', 'how-to/identity'],
  ['postgres', 'how-to/outgrowing-one-machine'],
  ['websocket', 'how-to/live-queries'],
  ['mock', 'how-to/tests'],
  ['migration', 'how-to/files#change-the-model'],
  ['vue', 'how-to/tanstack-db'],
  ['zod', 'how-to/schemas'],
])
