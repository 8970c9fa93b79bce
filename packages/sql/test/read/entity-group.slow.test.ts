import { attribute, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'
import { expect, test } from 'vitest'
import type { Statement } from '../../src/connect/port.ts'
import { migrateDatabase } from '../../src/store/migrate-database.ts'
import { openSqlStore } from '../../src/store/open-sql-store.ts'
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

    // The same without HTTP, also by keys that a row cannot have.
    const keys = {
      House: [1, 2, 3, 4, 5, 6, 2 ** 31 - 1, 3, 3, 2 ** 40, 1.5],
      Town: ['Be', 'be', 'ÖL', 'öl', 'Zz', 'x\u0000', 'x'.repeat(3000)],
      Tree: [...trees, trees[0]!.toLowerCase(), trees[0]!.replace('A', 'C'), 'oak'],
    }
    const reads = Object.entries(keys).flatMap(([name, list]) =>
      list.map((key) => () => store.dataClass(name as 'House').get(key as number)),
    )
    const one: unknown[] = []
    for (const read of reads) one.push(await read())
    expect(one.slice(0, 7)).toEqual([
      ...[1, 2, 3, 4, 5].map((ID) => expect.objectContaining({ ID, floors: ID * 10 })),
      ...[undefined, undefined],
    ])
    sent.length = 0
    const many = Array.from({ length: 4 }, () => reads).flat()
    expect(await Promise.all(many.map((read) => read()))).toEqual(
      Array.from({ length: 4 }, () => one).flat(),
    )
    expect(sent.length).toBeLessThan(many.length / 4)
    await store.close()
  })

  test('show what their caller has written, whatever others read and write', async () => {
    const options = {
      name: 'houses',
      dataClasses: [Town, House, Tree],
      database: database.open({ max: 4 }),
      schema: database.newSchema(),
    }
    await migrateDatabase(options)
    const store = await openSqlStore(options)
    const houses = store.dataClass('House')
    for (let ID = 1; ID <= 8; ID++) await houses.insert({ ID, floors: 0 })
    const last = new Map<number, number>()
    await Promise.all(
      Array.from({ length: 12 }, async (_, caller) => {
        for (let round = 1; round <= 20; round++) {
          const ID = 1 + ((caller * 7 + round * 3) % 8)
          if (caller < 4) {
            // Each house has one writer.
            const own = caller + 1 + 4 * (round % 2)
            await houses.update(own, { floors: round })
            expect((await houses.get(own))!.floors).toBe(round)
          } else {
            const before = last.get(ID) ?? 0
            const { floors } = (await houses.get(ID))!
            expect(floors).toBeGreaterThanOrEqual(before)
            last.set(ID, Math.max(last.get(ID) ?? 0, floors!))
          }
        }
      }),
    )
    await store.close()
  })
})
