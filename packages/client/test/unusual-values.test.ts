import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRestHandler, toNodeHandler } from '@entia/rest'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { connect } from '../src/connect.ts'
import { dayOf } from '../src/decode.ts'
import { ServerEvents } from '../src/server-events.ts'
import { createCompany, openRemote } from './company.ts'

describe('a live selection', () => {
  test('receives texts with every kind of line separator', async () => {
    const store = createCompany()
    const rest = createRestHandler(store, { live: true })
    const server = createServer(toNodeHandler(rest)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const abort = new AbortController()
    const remote = connect<typeof store>(`http://127.0.0.1:${port}/rest`)
    const events = remote.Code.all().live({ signal: abort.signal })
    await events.next()
    for (const text of [
      'a\u2028b',
      'a\u2029b',
      'a\u0085b',
      'a\r\n\r\nb',
      '\ndata: x',
      'a\u000bb\u000c',
    ]) {
      store.Code.insert({ code: `${store.Code.count}`, text })
      const { value } = await events.next()
      const entered =
        value?.kind === 'delta' ? [...value.entered.values()].map((entity) => entity.text) : []
      expect(entered).toEqual([text])
    }
    abort.abort()
    await events.next()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  test('reads the same events for every split of their bytes', async () => {
    const texts = fc.array(fc.constantFrom('a', '\u2028', '\u{1f600}', 'é', ' ', ':', 'b'), {
      maxLength: 8,
    })
    const data = texts.map((parts) => JSON.stringify(parts.join('')))
    await fc.assert(
      fc.asyncProperty(
        fc.array(data, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('\n', '\r\n'),
        fc.array(fc.nat(30), { maxLength: 12 }),
        async (sent, end, lengths) => {
          const text = sent
            .map((each, i) => `event: e\nid: ${i}\ndata: ${each}\n\n`.replaceAll('\n', end))
            .join('')
          const bytes = new TextEncoder().encode(text)
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              let at = 0
              for (const length of lengths) controller.enqueue(bytes.slice(at, (at += length)))
              controller.enqueue(bytes.slice(at))
              controller.close()
            },
          })
          const heard: string[] = []
          for await (const event of new ServerEvents(body, 60_000).read()) heard.push(event.data)
          expect(heard).toEqual(sent)
        },
      ),
      runs(300),
    )
  })

  test('reads a large event in linear time', async () => {
    const piece = new TextEncoder().encode('x'.repeat(16_384))
    const read = async (pieces: number): Promise<number> => {
      let left = pieces
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left === pieces) controller.enqueue(new TextEncoder().encode('data: '))
          if (left-- > 0) controller.enqueue(piece)
          else {
            controller.enqueue(new TextEncoder().encode('\n\n'))
            controller.close()
          }
        },
      })
      let length = 0
      for await (const { data } of new ServerEvents(body, 60_000).read()) length += data.length
      return length
    }
    // Parsing at each piece would read 33 gigabytes.
    expect(await read(2_000)).toBe(2_000 * 16_384)
  })
})

describe('values that JSON cannot hold are refused before they are sent', () => {
  const { store, remote } = openRemote()
  const wrong: readonly (readonly [string, unknown])[] = [
    ['bytes', Uint8Array.of(1, 2)],
    ['a bigint', 5n],
    ['a function', () => 5],
    ['a symbol', Symbol('5')],
    ['an instance of Map', new Map([[1, 2]])],
    ['an instance of Set', new Set([1])],
    ['an instance of Number', Object(5)],
    ['an instance of String', Object('5')],
    ['an instance of RegExp', /5/],
    ['an instance of Promise', Promise.resolve(5)],
    ['an instance of ArrayBuffer', new ArrayBuffer(2)],
    ['an object with a function "toJSON"', { toJSON: () => 5 }],
  ]
  test.each(wrong)('%s', async (found, value) => {
    const before = store.globalStamp
    const values = { lastName: 'x', salary: value } as never
    await expect(remote.Employee.insert(values)).rejects.toThrow(`"salary" is ${found}`)
    await expect(remote.Employee.update(1, { salary: value } as never)).rejects.toThrow(TypeError)
    await expect(
      remote.Employee.saveAll([{ key: 1, notes: { tags: [value] } } as never]),
    ).rejects.toThrow(TypeError)
    await expect(remote.call('add', value as number, 1)).rejects.toThrow(TypeError)
    expect(store.globalStamp).toBe(before)
  })

  test('numbers and dates that are none are refused by the server, with their attribute', async () => {
    for (const salary of [Number.NaN, Number.POSITIVE_INFINITY])
      for (const save of [
        () => remote.Employee.insert({ lastName: 'x', salary }),
        () => remote.call('add', salary, 1),
      ])
        await expect(save()).rejects.toThrow()
    expect(await remote.Employee.update(1, { salary: Number.NaN })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('"salary"'),
    })
  })

  test('whatever the values do to the body of their entity', async () => {
    const before = store.globalStamp
    const toJSON = () => ({ __KEY: '2', salary: 1 })
    await expect(remote.Employee.update(1, { toJSON } as never)).rejects.toThrow(TypeError)
    await expect(remote.Employee.insert({ toJSON } as never)).rejects.toThrow(TypeError)
    await expect(remote.Employee.update(1, { notes: [undefined] } as never)).rejects.toThrow(
      TypeError,
    )
    expect(store.globalStamp).toBe(before)
  })

  test('and plain data are not, whatever the names in them', async () => {
    const notes = { toJSON: 1, tags: [{ toJSON: null, uri: 'x' }] }
    await remote.Employee.update(1, { notes } as never)
    expect(store.Employee.get(1)?.notes).toEqual(notes)
  })

  test('in a filter, where null would match entities without a value', () => {
    expect(() => remote.Employee.query`salary = ${Number.NaN}`).toThrow(
      'Value 1 of the filter is NaN',
    )
    expect(() => remote.Employee.query`salary in ${[1, Number.POSITIVE_INFINITY]}`).toThrow(
      TypeError,
    )
  })
})

test('combined filters keep their values next to any quotes', async () => {
  const { store, remote } = openRemote()
  for (const [code, text] of [
    ["O'Neil", 'a'],
    ["D'Arcy", 'b'],
    ['a:1', 'c'],
  ] as const)
    store.Code.insert({ code, text })
  const found = async (selection: { toArray(): Promise<readonly { code: string | null }[]> }) =>
    (await selection.toArray()).map(({ code }) => code)
  const base = remote.Code.query`text in ${['a', 'b', 'c']}`
  expect(await found(base.query`code = ${"O'Neil"} or text = ${'b'}`)).toEqual(["O'Neil", "D'Arcy"])
  // Both quotes are literal characters, so the text between them is not quoted.
  expect(await found(base.query`code = O'Neil or (text = ${'b'} and code = D'Arcy)`)).toEqual([
    "O'Neil",
    "D'Arcy",
  ])
  expect(await found(base.query`code = O'Neil or (text = ${'c'} or code = D'Arcy)`)).toHaveLength(3)
  expect(await found(base.query`code = ':1' or text = ${'c'}`)).toEqual(['a:1'])
  expect(await found(remote.Code.query`text > a`.query`text < ${'c'}`.query`code != null`)).toEqual(
    ["D'Arcy"],
  )
  expect(await found(remote.Code.query`text > a`.query`code != null`)).toHaveLength(2)
})

test.each([
  ['!!2024-01-31!!', '2024-01-31'],
  ['31!1!2024', '2024-01-31'],
  ['31!1!99', '0099-01-31'],
  ['31!1!-000001', '-000001-01-31'],
  ['1!12!+012345', '+012345-12-01'],
  ['!!-000001-01-31!!', '-000001-01-31'],
  ['+012345-12-01T00:00:00.000Z', '+012345-12-01'],
])('the calendar date %s of a server is %s', (wire, iso) => {
  expect(dayOf(wire)).toBe(iso)
})

test('the bytes of an image are those of the store, of any kind and while it has them', async () => {
  const { store, remote } = openRemote()
  store.Company.update(1, { logo: Uint8Array.of(1, 2) })
  const { logo } = (await remote.Company.get(1))!
  expect(await logo?.bytes()).toEqual(Uint8Array.of(1, 2))
  store.Company.update(1, { logo: null })
  await expect(logo?.bytes()).rejects.toThrow('Read the entity again')
})
