import { describe, expect, test } from 'vitest'
import type { AuthorizeQuestion } from '../../src/index.ts'
import { OWN, questionText, serveDesk } from './permitted-desk.ts'
import { errCodes, expectError, type Reply } from './send.ts'

const statuses = ({ body }: Reply): readonly unknown[] =>
  body.__ENTITIES.map((item: { __STATUS: { success: boolean; status?: number } }) =>
    item.__STATUS.success ? 'done' : (item.__STATUS.status ?? 'failed'),
  )
const itemCodes = ({ body }: Reply): readonly (readonly number[])[] =>
  body.__ENTITIES.map((item: Parameters<typeof errCodes>[0]['body']) => errCodes({ body: item }))

/** Own documents only, for these actions. */
const own =
  (...questions: readonly string[]) =>
  (question: AuthorizeQuestion) =>
    questions.includes(questionText(question)) ? OWN(question) : true

describe('an update', () => {
  test('requires permission for the stored entity', async () => {
    const { as, store } = serveDesk(own('update Doc'))
    const ann = await as('ann')
    expect((await ann.post('/rest/Doc(1)', { title: 'mine' })).status).toBe(200)
    const refused = await ann.post('/rest/Doc(3)', { title: 'mine', owner: 'ann' })
    expectError(refused, 403, 1558, 1517)
    expect(refused.body).toMatchObject({
      __STATUS: { success: false, status: 1, statusText: 'Permission Error' },
    })
    expect(refused.body).toMatchObject({ __KEY: '3', title: 'gamma', __STAMP: 1 })
    expect(store.Doc.get(3)?.owner).toBe('ben')
  })

  test('requires permission for the changed entity, so none can be given to another user', async () => {
    const { as, store } = serveDesk(own('update Doc'))
    const ann = await as('ann')
    const reply = await ann.post('/rest/Doc(1)', { title: 'gift', owner: 'ben' })
    expectError(reply, 403, 1558, 1517)
    expect([store.Doc.get(1)?.owner, store.Doc.get(1)?.title]).toEqual(['ann', 'alpha'])
  })

  test('is refused if its author could not read the result', async () => {
    const { as, store } = serveDesk(own('read Doc'))
    const ann = await as('ann')
    const reply = await ann.post('/rest/Doc(1)', { owner: 'ben' })
    expectError(reply, 403, 1557, 1517)
    expect(reply.body).toMatchObject({ owner: 'ann' })
    expect(store.Doc.get(1)?.owner).toBe('ann')
  })

  test('of a hidden entity answers 404, alone, in a batch and by attribute', async () => {
    const { as, store } = serveDesk(own('read Doc'))
    const ann = await as('ann')
    for (const [url, key] of [
      ['/rest/Doc(KEY)'],
      ['/rest/Doc(KEY)/photo?$rawPict=true'],
      ['/rest/Doc', 'KEY'],
    ] as const) {
      const ask = (id: string) =>
        url.includes('photo')
          ? ann.send('DELETE', url.replace('KEY', id).split('?')[0]!)
          : ann.post(url.replace('KEY', id), {
              title: 'x',
              ...(key === undefined ? {} : { __KEY: id, __STAMP: 7 }),
            })
      const [hidden, missing] = [await ask('3'), await ask('9')]
      expect(missing.status).toBe(404)
      expect([hidden.status, hidden.text.replaceAll('3', '9')]).toEqual([
        404,
        missing.text.replaceAll('3', '9'),
      ])
    }
    expect(store.Doc.get(3)?.title).toBe('gamma')
  })

  test('by a guest is 401, also inside a batch', async () => {
    const { guest } = serveDesk(own('update Doc'))
    expectError(await guest.post('/rest/Doc(1)', { title: 'x' }), 401, 1558, 9120, 1517)
    const batch = await guest.post('/rest/Doc', [{ __KEY: '1', title: 'x' }])
    expect([batch.status, statuses(batch)]).toEqual([401, [1]])
  })

  test('includes setting and deleting an image', async () => {
    const { as, store } = serveDesk({ 'delete Doc': false, 'update Doc': 'owner = ann' })
    const ann = await as('ann')
    expect((await ann.send('DELETE', '/rest/Doc(1)/photo')).body).toEqual({ ok: true })
    expectError(await ann.send('DELETE', '/rest/Doc(3)/photo'), 403, 1558, 1517)
    expect([store.Doc.get(1)?.photo, store.Doc.get(3)?.photo === null]).toEqual([null, false])
    expectError(await ann.send('DELETE', '/rest/Doc(1)'), 403, 1560)
  })
})

describe('a creation', () => {
  test('outside the permitted filter is refused and nothing is stored', async () => {
    const { as, store } = serveDesk(own('create Doc'))
    const ann = await as('ann')
    const reply = await ann.post('/rest/Doc', { title: 'x', owner: 'ben' })
    expectError(reply, 403, 1559, 1534)
    expect(reply.body).toMatchObject({ __STATUS: { success: false, status: 1 } })
    expect(store.Doc.count).toBe(4)
    expect((await ann.post('/rest/Doc', { title: 'x', owner: 'ann' })).status).toBe(200)
  })

  test('that its author could not read is refused', async () => {
    const { as, store } = serveDesk(own('read Doc'))
    const ann = await as('ann')
    expectError(await ann.post('/rest/Doc', { title: 'x' }), 403, 1557, 1534)
    expect(store.Doc.count).toBe(4)
  })

  test('denied for the dataclass is refused before hooks and rules, and as a whole with $method=insert', async () => {
    const { as } = serveDesk({ 'create Doc': false })
    const ann = await as('ann')
    for (const url of ['/rest/Doc', '/rest/Doc?$refresh=true'])
      expectError(await ann.post(url, { rank: 1000 }), 403, 1559, 1534)
    expectError(await ann.post('/rest/Doc?$method=insert', [{ title: 'x' }]), 403, 1559)
  })
})

describe('a batch', () => {
  const items = [
    { __KEY: '1', title: 'a' },
    { __KEY: '3', title: 'b' },
    { title: 'c', owner: 'ann' },
    { title: 'd', owner: 'ben' },
  ]

  test('saves permitted items, or none if it is atomic', async () => {
    const { as, store } = serveDesk(own('update Doc', 'create Doc'))
    const ann = await as('ann')
    const atomic = await ann.post('/rest/Doc?$atomic=true', items)
    expect([atomic.status, statuses(atomic)]).toEqual([403, ['done', 1, 'done', 1]])
    expect([store.Doc.count, store.Doc.get(1)?.title]).toEqual([4, 'alpha'])
    const single = await ann.post('/rest/Doc', items)
    expect([single.status, statuses(single)]).toEqual([207, ['done', 1, 'done', 1]])
    expect(itemCodes(single)).toEqual([[], [1558, 1517], [], [1559, 1534]])
    expect([store.Doc.count, store.Doc.get(1)?.title, store.Doc.get(3)?.title]).toEqual([
      5,
      'a',
      'gamma',
    ])
  })

  test('is authorised item by item, whatever its length', async () => {
    const { as, store } = serveDesk(own('read Doc', 'update Doc'))
    const ann = await as('ann')
    const made = store.Doc.load(Array.from({ length: 30 }, () => ({ owner: 'ann' })))
    expect(made.count).toBe(30)
    const batch = store.Doc.query('owner = ann')
      .keys()
      .map((key, at) => {
        return { __KEY: `${key}`, title: 'x', ...(at > 20 && at % 2 === 0 ? { owner: 'ben' } : {}) }
      })
    for (const suffix of ['?$atomic=true', '']) {
      const reply = await ann.post(`/rest/Doc${suffix}`, batch)
      expect(statuses(reply)).toEqual(batch.map(({ owner }) => (owner === undefined ? 'done' : 1)))
      expect(store.Doc.query('title = x').count).toBe(
        suffix === '' ? batch.filter((item) => !item.owner).length : 0,
      )
      expect(store.Doc.query('owner = ben').count).toBe(2)
    }
  })

  test('a preview requires permission for the stored entity', async () => {
    const { as, store } = serveDesk(own('update Doc'))
    const ann = await as('ann')
    const reply = await ann.post('/rest/Doc?$refresh=true', items.slice(0, 2))
    expect(statuses(reply)).toEqual(['done', 1])
    expect(store.Doc.get(1)?.title).toBe('alpha')
  })
})

describe('an attribute that may not be written', () => {
  const { as, store } = serveDesk({ 'update Doc.rank': false, 'create Doc.rank': false })

  test('is refused by name with the whole item', async () => {
    const ann = await as('ann')
    const reply = await ann.post('/rest/Doc(1)', { title: 'x', rank: 9 })
    expectError(reply, 403, 1608, 1517)
    expect(reply.body.__STATUS).toEqual({
      status: 1,
      statusText: 'Permission Error',
      success: false,
    })
    expectError(await ann.post('/rest/Doc', { title: 'x', rank: 9 }), 403, 1608, 1534)
    expect([store.Doc.count, store.Doc.get(1)?.title]).toEqual([4, 'alpha'])
  })

  test('may be sent back as it was read', async () => {
    const ann = await as('ann')
    const { body } = await ann.get('/rest/Doc(2)')
    const reply = await ann.post('/rest/Doc(2)', { ...body, title: 'changed' })
    expect([reply.status, reply.body.title, reply.body.rank]).toEqual([200, 'changed', 1])
    expect((await ann.post('/rest/Doc', { title: 'new', rank: null })).status).toBe(200)
  })

  test.each([
    ['folder', 'folder'],
    ['folder', 'folderID'],
    ['folderID', 'folder'],
    ['folderID', 'folderID'],
  ])('%s: is also refused by the name %s of the same value', async (refused, name) => {
    const { as } = serveDesk({ [`update Doc.${refused}`]: false })
    const ann = await as('ann')
    expectError(await ann.post('/rest/Doc(1)', { [name]: 2 }), 403, 1608, 1517)
    expect((await ann.post('/rest/Doc(1)', { [name]: 1 })).status).toBe(200)
  })
})

describe('a deletion', () => {
  test('fails for each entity that may be read but not deleted', async () => {
    for (const [method, url, body] of [
      ['POST', '/rest/Doc?$method=delete', [1, 2, 3, 4].map((key) => ({ __KEY: `${key}` }))],
      ['DELETE', '/rest/Doc?$filter="ID > 0"', undefined],
      ['DELETE', '/rest/Doc/$entityset/SET', undefined],
    ] as const) {
      const { as, store } = serveDesk(own('delete Doc'))
      const ann = await as('ann')
      const set = (await ann.get('/rest/Doc?$method=entityset')).body.__ENTITYSET.split('/').at(-1)
      const ask = (suffix: string) => ann.send(method, url.replace('SET', set) + suffix, body)
      const atomic = await ask(url.includes('?') ? '&$atomic=true' : '?$atomic=true')
      expect([url, atomic.status, store.Doc.count]).toEqual([url, 403, 4])
      const reply = await ask('')
      expect([url, reply.status, statuses(reply)]).toEqual([url, 207, ['done', 'done', 1, 1]])
      expect(itemCodes(reply).slice(2)).toEqual([
        [1560, 1518],
        [1560, 1518],
      ])
      expect(store.Doc.all().keys()).toEqual([3, 4])
    }
  })

  test('does not find hidden entities', async () => {
    const { as, store } = serveDesk(own('read Doc'))
    const ann = await as('ann')
    expectError(await ann.send('DELETE', '/rest/Doc(3)'), 404, 1543)
    expect((await ann.send('DELETE', '/rest/Doc?$filter="rank = 1"')).body).toEqual({ ok: true })
    expect(store.Doc.all().keys()).toEqual([3, 4])
  })

  test('is refused at once if the caller may delete nothing', async () => {
    const { as, store } = serveDesk({ 'delete Doc': false })
    const ann = await as('ann')
    for (const url of ['/rest/Doc(1)', '/rest/Doc(99)', '/rest/Doc?$filter="ID > 0"'])
      expectError(await ann.send('DELETE', url), 403, 1560)
    expect(store.Doc.count).toBe(4)
  })

  test('prevented by a hidden entity does not name it', async () => {
    const { as, store } = serveDesk({ 'read Note': 'ID > 1000' })
    store.Note.load([
      { ID: 55, text: 'goes along', doc: 2 },
      { ID: 77, text: 'holds on', pinnedTo: 55 },
    ])
    const ann = await as('ann')
    const restricted = await ann.send('DELETE', '/rest/Doc(2)')
    const batch = await ann.send('DELETE', '/rest/Doc?$atomic=true&$filter="ID < 3"')
    expectError(batch, 409, 9034)
    expect([restricted.status, errCodes(restricted)]).toEqual([409, [9034, 1518]])
    store.Note.remove(77)
    expect((await (await as('boss')).get('/rest/Note(55)?$lock=true')).body.result).toBe(true)
    const locked = await ann.send('DELETE', '/rest/Doc(2)')
    expect([locked.status, errCodes(locked)]).toEqual([423, [9035, 1518]])
    for (const { text } of [restricted, batch, locked]) expect(text).not.toMatch(/55|77|goes along/)
    expect(store.Doc.count).toBe(4)
  })
})

describe('a lock', () => {
  test('is refused for readable entities that may not be locked, and does not find hidden ones', async () => {
    const { as, store } = serveDesk((q) =>
      questionText(q) === 'lock Doc'
        ? OWN(q)
        : q.action !== 'read' || q.dataClass !== 'Doc' || 'ID < 4',
    )
    const ann = await as('ann')
    expect((await ann.get('/rest/Doc(1)?$lock=true')).body.result).toBe(true)
    expectError(await ann.get('/rest/Doc(3)?$lock=true'), 403, 1558)
    expectError(await ann.get('/rest/Doc(3)?$lock=false'), 403, 1558)
    const hidden = await ann.get('/rest/Doc(4)?$lock=true')
    expect([hidden.body.result, hidden.text]).toEqual([
      false,
      (await ann.get('/rest/Doc(9)?$lock=true')).text,
    ])
    expect(store.locks.holder('Doc', 3)).toBeNull()
  })
})

test('names the value that a hidden entity already has, and no other value of that entity', async () => {
  const { as } = serveDesk(own('read Doc'))
  const reply = await (await as('ann')).post('/rest/Doc(1)', { code: 'c-gamma' })
  expectError(reply, 409, 9030, 1517)
  expect(reply.text).not.toMatch(/gamma(?!")|hush gamma|ben/)
})
