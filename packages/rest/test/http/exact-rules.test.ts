// Attacks on rules of permission: users whose IDs other comparisons take for one another's, or for
// a pattern of one another's.
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { describe, expect, test } from 'vitest'
import { type AuthorizeAnswer, createRestHandler } from '../../src/index.ts'
import { send } from './send.ts'

const IDS = [
  'ann@example.com',
  'ann.lee@example.com',
  'ANN@example.com',
  'Ann',
  'ann',
  'änn',
  '@',
  '*',
  'a@',
  '*@*',
  '\\',
  'ann\\',
] as const
type ID = (typeof IDS)[number]

const Folder = defineDataClass('Folder', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  readers: attribute.object<{ readonly main: string }>(),
  papers: attribute.relatedEntities('Paper', 'folder'),
})
const Paper = defineDataClass('Paper', {
  ID: attribute.long({ key: true, autoSequence: true }),
  owner: attribute.string({ indexed: true }),
  text: attribute.string(),
  folder: attribute.relatedEntity('Folder'),
})

/** Everyone has one folder and one paper in it, numbered by the place of the ID. */
function serve(rule: (id: string) => AuthorizeAnswer) {
  const store = createDataStore({ name: 'papers', dataClasses: [Folder, Paper] })
  for (const id of IDS) {
    const folder = store.Folder.insert({ name: id, readers: { main: id } })
    store.Paper.insert({ owner: id, text: `of ${id}`, folder })
  }
  const rest = createRestHandler(store, {
    plain: true,
    identify: ({ header }) => {
      const id = decodeURIComponent(header('x-user') ?? '')
      return { ID: id, userName: id, fullName: id, groups: [] }
    },
    authorize: ({ user, dataClass, action, attribute }) =>
      action === 'describe' || attribute !== undefined || dataClass !== 'Paper'
        ? true
        : rule(String(user?.ID)),
  })
  const as = (id: ID) => (method: string, url: string, body?: unknown) =>
    send(rest, method, url, body, { 'x-user': encodeURIComponent(id) })
  return { store, as }
}

const RULES: { readonly [title: string]: (id: string) => AuthorizeAnswer } = {
  '=': (id) => ({ filter: 'owner = :1', parameters: [id] }),
  '===': (id) => ({ filter: 'owner === :1', parameters: [id] }),
  in: (id) => ({ filter: 'owner in :1', parameters: [[id]] }),
  'a named parameter': (id) => ({ filter: 'owner = :user', parameters: { user: id } }),
  'a relation': (id) => ({ filter: 'folder.name = :1', parameters: [id] }),
  'an object': (id) => ({ filter: 'folder.readers.main = :1', parameters: [id] }),
  'not !=': (id) => ({ filter: 'not (owner != :1)', parameters: [id] }),
  'two conditions': (id) => ({ filter: 'ID > 0 and owner = :1', parameters: [id] }),
}

describe.each(Object.entries(RULES))('a rule by %s', (_, rule) => {
  test.each(IDS)('lets %s read, change and delete the own papers only', async (id) => {
    const { store, as } = serve(rule)
    const ask = as(id)
    const own = IDS.indexOf(id) + 1
    const before = store.Paper.all().toArray()
    const keys = async (url: string) =>
      (await ask('GET', url)).body.__ENTITIES.map(({ __KEY }: { __KEY: string }) => __KEY)
    expect(await keys('/rest/Paper')).toEqual([`${own}`])
    expect(await keys('/rest/Paper?$filter="owner = \'@\'"')).toEqual([`${own}`])
    expect(await keys('/rest/Paper?$orderby=owner desc&$method=entityset')).toEqual([`${own}`])
    expect((await ask('GET', '/rest/Paper/owner?$distinct=true')).body).toEqual([id])
    expect((await ask('GET', '/rest/Paper/ID?$compute=count')).text).toBe('1')
    expect((await ask('GET', '/Paper')).body.map((row: { ID: number }) => row.ID)).toEqual([own])
    for (let other = 1; other <= IDS.length; other++) {
      if (other === own) continue
      const write = { __KEY: `${other}`, text: 'taken' }
      const { status } = await ask('GET', `/rest/Paper(${other})`)
      expect([other, status]).toEqual([other, 404])
      expect((await ask('POST', '/rest/Paper?$method=update', write)).status).toBe(404)
      expect((await ask('DELETE', `/rest/Paper(${other})`)).status).toBe(404)
      expect((await ask('DELETE', `/Paper/${other}`)).status).toBe(404)
    }
    expect(store.Paper.all().toArray()).toEqual(before)
    const gift = { owner: IDS[own % IDS.length], folder: (own % IDS.length) + 1 }
    expect((await ask('POST', '/rest/Paper', gift)).status).toBe(403)
    const change = { __KEY: `${own}`, text: 'mine' }
    expect((await ask('POST', '/rest/Paper?$method=update', change)).status).toBe(200)
    expect((await ask('DELETE', '/rest/Paper?$filter="ID > 0"')).status).toBe(200)
    expect(store.Paper.all().keys()).toEqual(before.map(({ ID }) => ID).filter((at) => at !== own))
  })
})

test('a rule may ask for wildcards, and for the collation of the attribute', async () => {
  const count = async (rule: AuthorizeAnswer) =>
    (await serve(() => rule).as('ann')('GET', '/rest/Paper/ID?$compute=count')).text
  expect(await count({ filter: "owner = 'ann@'", wildcards: true })).toBe('4')
  expect(await count({ filter: "owner = 'ann'", collation: 'folded' })).toBe('3')
  expect(await count({ filter: "owner = 'ann@'", wildcards: true, collation: 'folded' })).toBe('7')
})
