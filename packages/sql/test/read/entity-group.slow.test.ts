import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import type { Statement } from '../../src/connect/port.ts'
import { migrateDatabase, openSqlStore } from '../../src/store/open-sql-store.ts'
import { describeDatabases } from '../database.ts'

const Town = defineDataClass('Town', {
  code: attribute.string({ key: true }),
  name: attribute.string(),
})
const House = defineDataClass('House', {
  ID: attribute.long({ key: true }),
  floors: attribute.long(),
  town: attribute.relatedEntity('Town'),
})
const Tree = defineDataClass('Tree', { ID: attribute.uuid({ key: true }) })

describeDatabases('entities that are read by key at the same time', {}, (database) => {
  test('share statements, and each has its own answer', async () => {
    const sent: (readonly Statement[])[] = []
    const options = {
      name: 'houses',
      dataClasses: [Town, House, Tree],
      database: database.open({ onSend: (statements) => void sent.push(statements) }),
      schema: database.schema,
    }
    await migrateDatabase(options)
    const store = await openSqlStore(options)
    const rest = createRestHandler(store)
    const get = async (path: string) => {
      const { status, body } = await rest.handle({
        ...{ method: 'GET', url: `/rest/${path}`, remoteAddress: '127.0.0.1' },
        headers: { host: 'localhost' },
      })
      return { status, body: String(body) }
    }
    for (const name of ['Bern', 'Ölten'])
      await store.dataClass('Town').insert({ code: name.slice(0, 2), name })
    for (const ID of [1, 2, 3, 4, 5])
      await store.dataClass('House').insert({ ID, floors: ID * 10, town: ID % 2 ? 'Be' : 'Öl' })
    const trees = ['A', 'B'].map((digit) => `${digit.repeat(8)}-0000-4000-8000-000000000000`)
    for (const ID of trees) await store.dataClass('Tree').insert({ ID })
    const paths = [
      ...[1, 2, 3, 4, 5, 6, 2 ** 31 - 1, 3, 3].map((key) => `House(${key})`),
      ...['Be', 'be', 'ÖL', 'öl', 'Zz', 'x\u0000', 'x'.repeat(3000)].map(
        (key) => `Town(${encodeURIComponent(key)})`,
      ),
      ...[...trees, trees[0]!.toLowerCase(), trees[0]!.replace('A', 'C'), 'oak'].map(
        (key) => `Tree(${key})`,
      ),
      ...[1, 9].map((key) => `House(${key})?$expand=town`),
      ...[1, 9].map((key) => `House(${key})?$filter="floors>5"`),
      ...['House(x)', `House(${2 ** 40})`],
    ]
    const alone: Awaited<ReturnType<typeof get>>[] = []
    for (const path of paths) alone.push(await get(path))
    expect(alone.slice(0, 7).map(({ status }) => status)).toEqual([...Array(5).fill(200), 404, 404])
    for (let times = 0; times < 3; times++) {
      sent.length = 0
      const all = Array.from({ length: 4 }, () => paths).flat()
      const together = await Promise.all(all.map(get))
      expect(together).toEqual(Array.from({ length: 4 }, () => alone).flat())
      expect(sent.length).toBeLessThan(all.length / 2)
    }
    await store.close()
  })
})
