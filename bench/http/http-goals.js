// The goals of the HTTP part: Entia's responses per second as a multiple of another server's, in
// one run.

/** @type {ReadonlyMap<string, readonly { than: string, times: number }[]>} */
export const httpGoals = new Map([
  [
    'one',
    [
      { than: 'raw', times: 0.85 },
      { than: 'fastify', times: 1 },
      { than: 'hono', times: 0.95 },
      { than: 'json-server', times: 5 },
    ],
  ],
  [
    'page',
    [
      { than: 'raw', times: 0.55 },
      { than: 'fastify', times: 2 },
      { than: 'hono', times: 4 },
      { than: 'json-server', times: 500 },
      { than: 'sqlite-rest', times: 7 },
    ],
  ],
  [
    'post',
    [
      { than: 'raw', times: 0.6 },
      { than: 'fastify', times: 0.85 },
    ],
  ],
])
