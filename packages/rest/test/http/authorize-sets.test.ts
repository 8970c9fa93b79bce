import { describe, expect, test } from 'vitest'
import type { Browser } from './browser.ts'
import { OWN, questionText, type Rules, serveDesk } from './permitted-desk.ts'
import { expectError, keys } from './send.ts'

const ownDocs = (question: Parameters<typeof OWN>[0]) =>
  questionText(question) === 'read Doc' ? OWN(question) : true

async function keep(browser: Browser, path: string): Promise<string> {
  const { body } = await browser.get(
    `/rest/${path}${path.includes('?') ? '&' : '?'}$method=entityset`,
  )
  return body.__ENTITYSET
}
const idOf = (address: string) => address.split('/').at(-1)

describe('an entity set', () => {
  test('shows each caller what it may see, and does not change', async () => {
    const { as } = serveDesk(ownDocs)
    const [boss, ann, ben] = [await as('boss'), await as('ann'), await as('ben')]
    const set = await keep(boss, 'Doc?$orderby=ID desc')
    const seen = await ann.get(set)
    expect([seen.body.__COUNT, seen.body.__SENT, keys(seen)]).toEqual([2, 2, ['2', '1']])
    expect(keys(await ben.get(`${set}?$skip=1`))).toEqual(['3'])
    expect((await ann.get(`${set}?$attributes=rank&$compute=sum`)).text).toBe('2')
    expect((await ann.get(`${set}?$attributes=title&$distinct=true`)).body).toEqual([
      'alpha',
      'beta',
    ])
    expect((await ann.get(`${set}?$filter="owner = ben"`)).body.__COUNT).toBe(0)
    expect((await ann.get(`${set}?$method=entityset`)).body.__ENTITYSET).toBe(set)
    expect(keys(await boss.get(set))).toEqual(['4', '3', '2', '1'])
  })

  test('created under a restriction stays restricted for callers who may see more', async () => {
    const { as } = serveDesk(ownDocs)
    const [boss, ann, ben] = [await as('boss'), await as('ann'), await as('ben')]
    const set = await keep(ann, 'Doc')
    expect(keys(await boss.get(set))).toEqual(['1', '2'])
    expect((await ben.get(set)).body).toMatchObject({ __COUNT: 0, __ENTITIES: [] })
  })

  test('is combined with others within what the caller may see', async () => {
    const { as } = serveDesk(ownDocs)
    const [boss, ann] = [await as('boss'), await as('ann')]
    const all = await keep(boss, 'Doc')
    const bens = await keep(boss, 'Doc?$filter="owner = ben or ID = 1"')
    const some = await keep(ann, 'Doc?$filter="ID = 2"')
    const combine = (first: string, operator: string, second: string) =>
      ann.get(`${first}?$logicOperator=${operator}&$otherCollection=${idOf(second)}`)
    expect(keys(await combine(all, 'AND', bens))).toEqual(['1'])
    expect(keys(await combine(some, 'OR', bens))).toEqual(['2', '1'])
    expect(keys(await combine(all, 'EXCEPT', bens))).toEqual(['2'])
    expect((await combine(some, 'INTERSECT', all)).text).toBe('true')
    const onlyBens = await keep(boss, 'Doc?$filter="owner = ben"')
    expect((await combine(all, 'INTERSECT', onlyBens)).text).toBe('false')
    const { body } = await ann.get(
      `${all}?$logicOperator=OR&$otherCollection=${idOf(bens)}&$method=entityset`,
    )
    expect(keys(await boss.get(body.__ENTITYSET))).toEqual(['1', '2'])
  })

  test('does not report deleted members that the caller could not see', async () => {
    const { as, store } = serveDesk(ownDocs)
    const [boss, ann] = [await as('boss'), await as('ann')]
    const [all, own] = [await keep(boss, 'Doc'), await keep(ann, 'Doc')]
    store.Doc.remove(2)
    store.Doc.remove(3)
    expect((await ann.get(all)).body.__COUNT).toBe(1)
    expect((await ann.get(own)).body).toMatchObject({
      __COUNT: 2,
      __ENTITIES: [{ __KEY: '1' }, { __STAMP: 0 }],
    })
    expect((await ann.get(`${own}?$clean=true`)).body.__COUNT).toBe(1)
    expect((await boss.get(all)).body.__COUNT).toBe(4)
  })

  test('is recreated from the entities that its caller may see', async () => {
    const { as } = serveDesk(ownDocs)
    const [boss, ann] = [await as('boss'), await as('ann')]
    const gone = `/rest/Doc/$entityset/${'0123456789ABCDEF'.repeat(2)}`
    expect(keys(await ann.get(`${gone}?$savedfilter="rank = 1"`))).toEqual(['1', '2'])
    expect(keys(await boss.get(gone))).toEqual(['1', '2'])
  })

  test('may be released by callers with its id who may read the dataclass', async () => {
    const { as, guest } = serveDesk(ownDocs)
    const [boss, ann] = [await as('boss'), await as('ann')]
    const set = await keep(boss, 'Doc')
    expectError(await guest.get(`${set}?$method=release`), 401, 1557, 9120)
    expect((await ann.get(`${set}?$method=release`)).body).toEqual({ ok: true })
    expectError(await boss.get(set), 404, 1802)
  })

  test('deletes only the members that the caller sees', async () => {
    const { as, store } = serveDesk(ownDocs)
    const [boss, ann] = [await as('boss'), await as('ann')]
    const set = await keep(boss, 'Doc')
    expect((await ann.send('DELETE', set)).body).toEqual({ ok: true })
    expect(store.Doc.all().keys()).toEqual([3, 4])
  })

  test('of a hidden dataclass is not listed and cannot be opened', async () => {
    const { as } = serveDesk({ 'describe Doc': false }, { info: 'all' })
    const [boss, ann] = [await as('boss'), await as('ann')]
    const set = await keep(boss, 'Doc')
    expectError(await ann.get(set), 404, 1800)
    expect((await ann.get('/rest/$info')).body).toMatchObject({ entitySetCount: 0, entitySet: [] })
    const parameter = (id: string) => [{ __ENTITIES: true, __DATASET: id }]
    const hidden = await ann.post('/rest/$catalog/ping', parameter(idOf(set)!))
    const unknown = await ann.post('/rest/$catalog/ping', parameter('0'.repeat(32)))
    expectError(hidden, 404, 1802, 9111)
    expect(hidden.text.replaceAll(idOf(set)!, '0'.repeat(32))).toBe(unknown.text)
  })
})

test('sizes of entity sets that count hidden entities are not listed', async () => {
  const rules = { 'read Doc': { filter: 'owner = :1', parameters: ['ann'] } }
  for (const scope of ['store', 'session'] as const) {
    const { as } = serveDesk(rules, { info: 'all', entitySets: { scope } })
    const [boss, ann] = [await as('boss'), await as('ann')]
    const listed = async (caller: typeof ann) => {
      const { entitySet } = (await caller.get('/rest/$info/entitySet')).body
      return entitySet.map((each: Record<string, unknown>) => each.selectionSize)
    }
    await keep(boss, 'Doc')
    await keep(boss, 'Folder')
    const [{ __COUNT: docs }, { __COUNT: folders }] = [
      (await boss.get('/rest/Doc')).body,
      (await boss.get('/rest/Folder')).body,
    ]
    expect(await listed(boss)).toEqual([docs, folders])
    expect(await listed(ann)).toEqual([folders])
    await keep(ann, 'Doc')
    expect(await listed(ann)).toEqual(scope === 'session' ? [folders, 2] : [folders])
  }
})

describe('a function', () => {
  const SEE_OWN: Rules = { 'read Doc': { filter: 'owner = :1', parameters: ['ann'] } }

  test.each([
    ['Doc/titles', 'call Doc/titles'],
    ['Doc(1)/aboutTitle', 'call Doc/aboutTitle'],
    ['Folder(1)/docs?$emMethod=titles', 'call Doc/titles'],
    ['$catalog/ping', 'call -/ping'],
    ['$singleton/Press/print', 'call -/Press.print'],
  ])('%s that may not be called is refused', async (path, question) => {
    const { as, guest } = serveDesk({ [question]: false })
    expectError(await (await as('ann')).post(`/rest/${path}`, []), 403, 1561)
    expectError(await guest.post(`/rest/${path}`, []), 401, 1561, 9120)
    expect((await (await as('boss')).post(`/rest/${path}`, [])).status).toBe(200)
  })

  test('works on the entities that its caller may see', async () => {
    const { as } = serveDesk(SEE_OWN)
    const ann = await as('ann')
    const result = async (path: string) => (await ann.post(`/rest/${path}`, [])).body.result
    expect(await result('Doc/titles')).toEqual(['alpha', 'beta'])
    expect(await result('Folder(2)/docs?$emMethod=titles')).toEqual([])
    expect(await result('Doc/titles?$filter="rank = 1"&$orderby=ID desc')).toEqual([
      'beta',
      'alpha',
    ])
    expect(await result('Doc(2)/aboutTitle')).toBeNull()
    const [hidden, missing] = [
      await ann.post('/rest/Doc(3)/aboutTitle'),
      await ann.post('/rest/Doc(9)/aboutTitle'),
    ]
    expectError(hidden, 404, 1543)
    expect(hidden.text.replace('# 3', '# 9')).toBe(missing.text)
    const set = await keep(await as('boss'), 'Doc')
    expect((await ann.post(`${set}/titles`, [])).body.result).toEqual(['alpha', 'beta'])
  })

  test('neither answers nor stores hidden entities', async () => {
    const { as } = serveDesk({ ...SEE_OWN, 'read Doc.secret': false })
    const ann = await as('ann')
    expect((await ann.post('/rest/Doc/find', [3])).body).toEqual(
      (await ann.post('/rest/Doc/find', [9])).body,
    )
    expect((await ann.post('/rest/Doc/find', [1])).body).toMatchObject({ title: 'alpha' })
    const { body, text } = await ann.post('/rest/Doc/inside', [])
    expect([body.result.one, body.result.all.__COUNT]).toEqual([null, 2])
    expect(text).not.toMatch(/gamma|secret/)
    const kept = await ann.post('/rest/Doc/everything?$method=entityset', [])
    expect(kept.body.__COUNT).toBe(2)
    expect(keys(await (await as('boss')).get(kept.body.__ENTITYSET))).toEqual(['1', '2'])
  })

  test('gets no hidden entity as a parameter', async () => {
    const { as } = serveDesk(SEE_OWN)
    const ann = await as('ann')
    const send = (key: string) =>
      ann.post('/rest/Doc/titleOf', [{ __DATACLASS: 'Doc', __ENTITY: true, __KEY: key }])
    const [hidden, missing] = [await send('3'), await send('9')]
    expect([hidden.status, hidden.text.replaceAll('3', '9')]).toEqual([
      missing.status,
      missing.text.replaceAll('3', '9'),
    ])
    expect((await send('1')).body.result).toBe('alpha')
    const set = await keep(await as('boss'), 'Doc')
    const ids = await ann.post('/rest/Doc/ids', [{ __ENTITIES: true, __DATASET: idOf(set) }])
    expect(ids.body.result).toEqual([1, 2])
  })
})
