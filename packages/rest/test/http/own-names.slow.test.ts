import type { Untyped } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { type Authorize, createRestHandler } from '../../src/index.ts'
import { follow } from '../live/follow.ts'
import { Browser } from './browser.ts'
import { png } from './images.ts'
import { createNamed, defineNamed, writable } from './named-model.ts'
import { post } from './send.ts'

// An attribute may have the name of a member of entities, selections, tables or objects. Such a
// model must answer as one whose attributes have ordinary names.

/** Names of members of all objects, and of the objects of a store. */
function ownNames(): readonly string[] {
  const { store } = createNamed('qzx')
  const table = store.Text
  const view = store.view({ rows: { Text: 'ID > 0' } })
  const session = store.sessions.open()
  const objects: readonly unknown[] = [
    ...[
      table.get(1),
      view.dataClass('Text').get(1),
      table,
      view.dataClass('Text'),
      view,
      store,
      table.all(),
    ],
    ...[
      table.all().page(0, 1),
      store.entitySets,
      store.locks,
      store.sessions,
      session,
      store.catalog,
      table.model,
    ],
    ...[
      store.snapshot(),
      store.reading,
      store.Photo.get(1).qzx,
      table.model.attributes.get('qzx'),
      table.all().explain(),
    ],
    ...[
      new Map(),
      new Set(),
      [],
      '',
      1,
      () => {},
      Promise.resolve(),
      new Error('x'),
      new Date(),
      Symbol.iterator,
    ],
  ]
  // Members of records, items and references between the layers of the adapter, and of entities of
  // the client.
  const data = `key stamp timestamp values reference keyText refusal precondition echoes entity record records text texts
    projection fields kind name attribute attributes paths dataClass count first item error stored before page result value
    owner of verb status body headers message errCode details cause ID uri data id type ok index rows filter`
  const found = new Set(data.split(/\s+/))
  for (const object of objects)
    for (let at = Object(object); at !== null; at = Object.getPrototypeOf(at))
      for (const name of Object.getOwnPropertyNames(at))
        if (/^[a-z]\w+$/i.test(name)) found.add(name)
  // Answers to writes have a member `uri`.
  found.delete('uri')
  // One of the dataclasses has an attribute of this name.
  found.delete('back')
  return [...found].filter(isAccepted)
}

/** False for the few names that a definition refuses. */
function isAccepted(name: string): boolean {
  try {
    defineNamed(name)
    return true
  } catch {
    return false
  }
}

/** An unused name of the same length as another one. */
const innocent = (name: string): string => 'qzxjvwqzxjvkwqzxjkvwqzxkjvw'.slice(0, name.length)

/** Requests about one dataclass, writes last. `N` represents the name. */
function requests(
  className: string,
): readonly (readonly [method: string, url: string, body?: unknown])[] {
  const C = `/rest/${className}`
  const isKey = className.startsWith('Key')
  const isMedia = className === 'Photo' || className === 'Blob'
  const values = writable(className)
  const item = (key: number, more: object) => ({ __KEY: `${key}`, ...more })
  const reads = [
    ...[
      '',
      '(1)',
      '(2)?$attributes=N',
      '?$attributes=N',
      '?$attributes=N,*',
      '/N',
      '(1)/N',
      '?$expand=N',
      '(1)?$expand=N',
    ],
    ...[
      '?$filter="N = 1"',
      '?$filter="N is null"',
      '?$filter="N = :1"&$params=["2"]',
      '?$orderby=N desc',
      '(1)/N/note',
    ],
    ...[
      '?$filter="N = :p"&$params={"p":2}&$querypath=true',
      '?$distinct=true&$attributes=N',
      '?$asArray=true',
    ],
    ...[
      '?$compute=$all&$attributes=N',
      '?$compute=count&$attributes=N',
      '?$asArray=true&$attributes=N',
      ':N(1)',
    ],
    ...[
      '?$format=dashboard&$attributes=N,note',
      '?$method=entityset&$orderby=N',
      '?$attributes=N.N,N.note',
      ':N("2")',
    ],
    ...[
      '?$filter="N.note = n1"',
      '?$orderby=N.note,note',
      '(1)?$attributes=N.*',
      '(2)/give',
      '/rows',
      '/giveAll',
    ],
    ...[
      '(1)/N?$binary=true',
      '(1)/N?$imageformat=best&$expand=N',
      '?$filter="N.N = 2"',
      '?$attributes=back.N,up.N',
    ],
    ...[
      '(1)?$filter="N = 1"',
      '/rows?$filter="N = 2"',
      '(1)/N?$filter="note = n1"',
      '?$filter="not(N = 1) and note = n1"',
    ],
  ].map((url) => ['GET', `${C}${url}`] as const)
  const entity = {
    __ENTITY: true,
    __DATACLASS: className,
    __KEY: '2',
    note: 'sent',
    N: values[0] ?? undefined,
  }
  return [
    ...reads,
    ['GET', '/rest/$catalog/$all'],
    ['POST', `${C}/save`, [entity]],
    ['GET', `${C}(1)?$lock=true`],
    ['POST', C, item(1, { note: 'a' })],
    ['POST', `${C}?$refresh=true`, item(2, { note: 'would be' })],
    ['POST', `${C}?$atomic=true`, [item(2, { note: 'b' }), item(3, { note: 'c', nope: 1 })]],
    ['POST', `${C}?$filter="note = a"`, [item(1, { note: 'd' }), item(2, { note: 'e' })]],
    ['POST', `${C}(2)`, { note: 'f', __STAMP: 1 }],
    ['POST', `${C}(2)`, { note: 'g', __STAMP: 1 }],
    ['POST', C, { ...(isKey ? { N: '8' } : {}), note: 'new' }],
    ['POST', `${C}?$method=insert`, [isKey ? { N: '9' } : { note: 'newer' }, { N: '1' }]],
    ...values.flatMap((value, at) => [
      ['POST', C, item((at % 3) + 1, { N: value })] as const,
      ['POST', `${C}?$atomic=true`, [item(2, { N: value, note: `h${at}` }), { N: value }]] as const,
      ['POST', `${C}?$refresh=true`, { N: value }] as const,
      ['PUT', `${C}(${(at % 3) + 1})`, { N: value, __STAMP: 2 }] as const,
    ]),
    ...(isMedia
      ? ([
          ['POST', `${C}(2)/N?$rawPict=true`, className === 'Photo' ? 'PICTURE' : 'no'],
          ['POST', `${C}(2)/N?$binary=true`, 'bytes'],
          ['GET', `${C}(2)/N?$binary=true`],
          ['DELETE', `${C}(1)/N`],
        ] as const)
      : []),
    ['GET', `${C}(1)?$lock=false`],
    ['POST', `${C}?$method=delete&$atomic=true`, [item(3, {}), item(77, {})]],
    ['POST', `${C}?$method=delete`, [item(3, { __STAMP: 1 }), item(77, {})]],
    ['DELETE', `${C}(2)`],
    ['DELETE', `${C}?$filter="note = n0 or note = d"`],
    ['GET', C],
  ]
}

type Access = 'all' | 'rows'

/** All answers, and the final state of the store. */
async function transcript(
  name: string,
  className: string,
  access: Access,
): Promise<readonly string[]> {
  const { store } = createNamed(name)
  const rows: Authorize = ({ dataClass, action, attribute }) =>
    attribute !== undefined || action === 'describe' || action === 'call' || dataClass === null
      ? true
      : dataClass.startsWith('Key')
        ? `${name} != 3`
        : action === 'read'
          ? 'ID < 9'
          : 'ID != 3'
  const rest = createRestHandler(store, {
    live: true,
    ...(access === 'rows' ? { authorize: rows } : {}),
  })
  const [ann, ben] = [new Browser(rest), new Browser(rest)]
  const reported: string[] = []
  const live = await follow(rest, `/rest/${className}?$live=true&$orderby=note`)
  const event = async () => reported.push(JSON.stringify(await live.next()))
  await event()
  // The lock of another session prevents each write once.
  await ben.get(`/rest/${className}(3)?$lock=true`)
  for (const [method, template, body] of requests(className)) {
    const url = template.replace(/\bN\b/g, name)
    const content =
      body === 'PICTURE'
        ? png(2, 1)
        : typeof body === 'string'
          ? body
          : body && JSON.stringify(named(body, name))
    const type = content instanceof Uint8Array ? 'image/png' : 'application/octet-stream'
    const headers = typeof body === 'string' ? { 'content-type': type } : {}
    const reply = await ann.send(method, encodeURI(url), content as Untyped, headers)
    const masked = reply.text.replace(/"uuid":"\w+"/g, '"uuid":""')
    reported.push(`${method} ${url} ${JSON.stringify(body)} ${reply.status} ${masked}`)
  }
  if (live.status === 200) await event()
  await live.leave()
  reported.push(JSON.stringify(store.changes({ since: 0 })), `${store.globalStamp}`)
  expect(store.verify()).toBe(undefined)
  return reported
}

/** A body whose members called `N` are called `name`. */
function named(body: unknown, name: string): unknown {
  if (Array.isArray(body)) return body.map((each) => named(each, name))
  if (typeof body !== 'object' || body === null) return body
  return Object.fromEntries(
    Object.entries(body).map(([own, value]) => [own === 'N' ? name : own, named(value, name)]),
  )
}

const expected = new Map<string, Promise<readonly string[]>>()

async function expectSame(name: string, className: string, access: Access): Promise<void> {
  const plain = innocent(name)
  const id = `${plain} ${className} ${access}`
  if (!expected.has(id)) expected.set(id, transcript(plain, className, access))
  const innocentAnswers = await expected.get(id)!
  // The last part of an event's id is a fingerprint of the names that the caller may see.
  const withoutNames = (text: string) => text.replace(/("id":"\d+-[0-9a-f]{32})-\w+"/g, '$1"')
  const renamed = innocentAnswers.map((text) => withoutNames(text.replaceAll(plain, name)))
  const answers = (await transcript(name, className, access)).map(withoutNames)
  const at = answers.findIndex((text, at) => text !== renamed[at] && !namesMark(name, renamed[at]!))
  expect([className, access, answers[at]]).toEqual([className, access, renamed[at]])
  expect(
    answers.filter((text) => text.includes('"errCode":9199') || text.includes('"errCode":9010')),
  ).toEqual([])
}

/** Where such an attribute is unknown, it is the mark of that name, and nothing is compared. */
const namesMark = (name: string, other: string): boolean =>
  ['key', 'stamp', 'timestamp'].includes(name) &&
  other.includes(` 404 {"__ERROR":[{"message":"The \\"${name}\\" attribute cannot be found`)

const names = ownNames()
const { classNames } = createNamed('qzx')

test('the list of names is long enough', () => {
  expect(names.length).toBeGreaterThan(150)
  expect(names).toEqual(
    expect.arrayContaining(['key', 'stamp', 'timestamp', 'then', 'toJSON', 'hasOwnProperty']),
  )
})

/** The names that the layers themselves read. */
const NAMES_OF_ALL = ['key', 'stamp', 'timestamp', 'then', 'toJSON']

/**
 * Each dataclass is asked for with full access and with some rows, by turns: each name and each
 * dataclass meets both. `ENTIA_RUNS=2` asks with both each time.
 */
const accessesOf = (at: number): readonly Access[] =>
  Number(process.env.ENTIA_RUNS ?? 1) > 1 ? ['all', 'rows'] : [at % 2 === 0 ? 'all' : 'rows']

test.each(NAMES_OF_ALL)(
  'an attribute called "%s" is one like any other, of every kind and in every request',
  async (name) => {
    for (const [at, className] of classNames.entries())
      for (const access of accessesOf(at + NAMES_OF_ALL.indexOf(name)))
        await expectSame(name, className, access)
  },
)

test('attributes with other names of Object.prototype are ordinary attributes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.constantFrom(...classNames),
      fc.constantFrom<Access>('all', 'rows'),
      expectSame,
    ),
    runs(60),
  )
})

test('an entity is updated and removed by its key, not by its attribute "key"', async () => {
  const { store } = createNamed('key')
  const rest = createRestHandler(store)
  await post(rest, '/rest/Text', { __KEY: '1', note: 'NEW' })
  expect([store.Text.get(1).note, store.Text.get(2).note]).toEqual(['NEW', 'n1'])
  await rest.handle({ method: 'DELETE', url: '/rest/Text(1)', headers: {} })
  expect(store.Text.all().keys()).toEqual([2, 3])
})
