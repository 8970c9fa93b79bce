import { describe, expect, test } from 'vitest'
import type { AuthorizeQuestion } from '../../src/index.ts'
import { OWN, questionText, serveDesk } from './permitted-desk.ts'
import { expectError, type Reply } from './send.ts'

describe('a relation to an entity that may not be read', () => {
  const rules = (question: AuthorizeQuestion) =>
    ['read Folder', 'read Doc'].includes(questionText(question)) ? OWN(question) : true

  test.each([
    ['Doc(1)', (key: number) => ({ folder: key })],
    ['Doc(1)', (key: number) => ({ folderID: key })],
    ['Doc(1)', (key: number) => ({ folder: { __KEY: `${key}` } })],
    ['Doc(1)', (key: number) => ({ folder: 1, folderID: key })],
    ['Doc(1)?$refresh=true', (key: number) => ({ folder: key })],
    ['Doc', (key: number) => ({ title: 'n', owner: 'ann', folder: key })],
    [
      'Doc?$atomic=true',
      (key: number) => [
        { title: 'n', owner: 'ann', folder: key },
        { title: 'n', owner: 'ann' },
      ],
    ],
    [
      'Doc?$atomic=true',
      (key: number) => [{ title: 'n', owner: 'ann', folder: key }, { rank: 1000 }],
    ],
    [
      'Doc?$atomic=true',
      (key: number) => [
        { owner: 'ann', folder: 9 },
        { owner: 'ann', folder: key },
      ],
    ],
    [
      'Doc/titleOf',
      (key: number) => [{ __DATACLASS: 'Doc', __ENTITY: true, __KEY: '1', folder: key }],
    ],
  ])('%s: is answered as an empty relation', async (path, bodyOf) => {
    const { as, store } = serveDesk(rules)
    const ann = await as('ann')
    const before = store.globalStamp
    const hidden = await ann.post(`/rest/${path}`, bodyOf(2))
    const missing = await ann.post(`/rest/${path}`, bodyOf(9))
    const text = ({ text }: Reply) =>
      text.replace(/"folderID":[29]/g, '').replace(/\\"[29]\\"/g, '')
    expect([hidden.status, text(hidden)]).toEqual([missing.status, text(missing)])
    if (!path.includes('$refresh')) expect(missing.status).toBe(422)
    expect(store.globalStamp).toBe(before)
  })

  test('is not revealed by an alias, nor in answers to writes and calls', async () => {
    const { as } = serveDesk({ 'read Folder': 'owner = ann' })
    const ann = await as('ann')
    for (const [path, body] of [
      ['Doc(3)', { title: 'new' }],
      ['Doc(3)?$refresh=true', { title: 'new' }],
      ['Doc/find', [3]],
    ] as const) {
      const reply = await ann.post(`/rest/${path}`, body)
      expect([path, reply.status, reply.body.folderName, reply.body.folder]).toEqual([
        path,
        200,
        null,
        null,
      ])
    }
    expect((await (await as('boss')).post('/rest/Doc/find', [3])).body.folderName).toBe('private')
  })

  test('is not revealed by permissions that depend on its values', async () => {
    for (const name of ['shared', 'private']) {
      const { as } = serveDesk({
        'read Folder': 'owner = ann',
        'create Doc': `folder.name = ${name}`,
      })
      expectError(
        await (await as('ann')).post('/rest/Doc', { title: 'x', folder: 2 }),
        422,
        9033,
        1534,
      )
    }
  })

  test('is kept when the entity is sent back as it was read, and can be changed', async () => {
    const { as, store } = serveDesk(rules)
    const ann = await as('ann')
    store.Doc.update(2, { folder: 2 })
    const { body } = await ann.get('/rest/Doc(2)')
    expect([body.about, body.folder, body.folderID]).toEqual([null, null, 2])
    expect((await ann.post('/rest/Doc(2)', { ...body, title: 'new' })).status).toBe(200)
    expect([store.Doc.get(2)?.about?.ID, store.Doc.get(2)?.folderID]).toEqual([3, 2])
    expect((await ann.post('/rest/Doc(2)', { about: 1 })).status).toBe(200)
    expect((await ann.post('/rest/Doc(2)', { about: null })).body.about).toBeNull()
    expect(store.Doc.get(2)?.about).toBeNull()
  })
})

describe('entities that lead to each other', () => {
  const notes = (...rows: (readonly [ID: number, pinnedTo: number])[]) =>
    rows.map(([ID, pinnedTo]) => ({ ID, pinnedTo, text: 'mine' }))

  test.each([
    ['no row filter', {}],
    ['a row filter on another dataclass', { 'read Folder': 'owner = ann' }],
    ['a dataclass that may not be read', { 'read Folder': false }],
    ['a row filter on their own dataclass', { 'read Note': 'text = mine' }],
  ])('are created by one batch, or one by itself: %s', async (_, rules) => {
    const { as, store } = serveDesk(rules)
    const ann = await as('ann')
    for (const batch of [notes([11, 12], [12, 11]), notes([21, 23], [22, 21], [23, 23])]) {
      const { status } = await ann.post('/rest/Note?$atomic=true', batch)
      expect(status).toBe(200)
      for (const { ID, pinnedTo } of batch) expect(store.Note.get(ID)?.pinnedTo?.ID).toBe(pinnedTo)
    }
    expect((await ann.post('/rest/Note', notes([31, 31])[0])).status).toBe(200)
    expectError(await ann.post('/rest/Note', notes([41, 42])[0]), 422, 9033, 1534)
    const each = await ann.post('/rest/Note', notes([51, 52], [52, 52]))
    expect([each.status, store.Note.has(51), store.Note.has(52)]).toEqual([207, false, true])
  })

  test('do not lead to a hidden one, whose key is taken', async () => {
    const { as, store } = serveDesk({ 'read Note': 'text = mine' })
    store.Note.insert({ ID: 9, text: 'hidden' })
    const ann = await as('ann')
    const both = await ann.post('/rest/Note?$atomic=true', notes([11, 9], [9, 11]))
    expect(both.body.__ENTITIES[0].__ERROR[0].errCode).toBe(9033)
    expectError(await ann.post('/rest/Note', notes([9, 9])[0]), 422, 9033, 1534)
    expect(store.Note.get(9)?.text).toBe('hidden')
  })
})
