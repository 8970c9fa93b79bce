import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import { describeDatabases, run } from '../database.ts'
import { openGallery } from '../mirror/gallery.ts'

const COUNT = 12_000

describeDatabases('sizes for operators', { on: 'one' }, ({ open, newSchema }) => {
  test('an index takes what was proposed', async () => {
    const pool = open()
    const schema = newSchema()
    const store = await openGallery(pool, schema)
    const rows = Array.from({ length: COUNT }, (_, at) => ({
      price: at / 7,
      visits: (at * 7919) % COUNT,
      mark: (at * 7919).toString(16).toUpperCase().padStart(32, '0'),
    }))
    await store.load('Work', rows)
    const table = `"${schema}"."Work"`
    await run(pool, `ANALYZE ${table}`)
    const rest = createRestHandler(store, { operator: () => true })
    const headers = { host: 'localhost' }
    const { body } = await rest.handle({ method: 'GET', url: '/rest/$operator/sizes', headers })
    const { attributes } = JSON.parse(String(body)).dataClasses[0]
    for (const name of ['price', 'visits', 'mark']) {
      const { proposal } = attributes.find((one: { name: string }) => one.name === name)
      await run(pool, `CREATE INDEX "index of ${name}" ON ${table} ("${name}")`)
      const found = await run(pool, `SELECT pg_relation_size('"${schema}"."index of ${name}"')`)
      const ratio = Number(found.rows[0]![0]) / proposal.bytes
      expect([name, ratio > 0.9 && ratio < 1.1, ratio]).toEqual([name, true, ratio])
    }
    await store.close()
  })
})
