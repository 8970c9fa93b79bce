import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { expect, test } from 'vitest'
import wakanda from 'wakanda-client'
import { createRestHandler, toNodeHandler } from '../../src/index.ts'
import { createContacts } from './contacts.ts'

const Book = defineDataClass('Book', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string(),
})

test('a client of a second catalog finds, pages, saves and deletes', async () => {
  const publication = createDataStore({ name: 'publication', dataClasses: [Book] })
  publication.Book.load(Array.from({ length: 12 }, (_, at) => ({ title: `T${at}` })))
  const rest = createRestHandler(createContacts(), { catalogs: { publication } })
  const server = createServer(toNodeHandler(rest))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const client = new wakanda.WakandaClient({ host, catalog: 'publication' })
    const catalog = await client.getCatalog()
    const books = catalog.Book!
    expect((await books.find(3)).title).toBe('T2')
    const page = await books.query({ pageSize: 5 })
    expect(page.entities.map(({ ID }) => ID)).toEqual([1, 2, 3, 4, 5])
    await page.nextPage()
    expect(page.entities.map(({ ID }) => ID)).toEqual([6, 7, 8, 9, 10])
    const created = books.create({ title: 'New' })
    await created.save()
    expect(publication.Book.get(13)?.title).toBe('New')
    await created.delete()
    expect(publication.Book.count).toBe(12)
    expect(Object.keys(await client.getCatalog(['Book']))).toContain('Book')
  } finally {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})
