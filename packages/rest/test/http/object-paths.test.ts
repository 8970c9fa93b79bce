import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { fixedPorts } from './models.ts'
import { expectError, get } from './send.ts'

const BODY = { list: ['b', 'a', 'B', 3, { x: 1 }], deep: { list: [2, 1], name: 'n' }, none: null }

let rest: RestHandler
beforeEach(() => {
  const Note = defineDataClass('Note', {
    ID: attribute.long({ key: true, autoSequence: true }),
    title: attribute.string(),
    body: attribute.object(),
    parent: attribute.relatedEntity('Note'),
    replies: attribute.relatedEntities('Note', 'parent'),
  })
  const store = createDataStore({ name: 'notes', dataClasses: [Note], ...fixedPorts() })
  store.Note.insert({ title: 'first', body: BODY })
  store.Note.insert({ title: 'second', body: null, parent: 1 })
  rest = createRestHandler(store)
})

describe('properties of an object attribute', () => {
  test.each<[string, unknown]>([
    ['body.*', BODY],
    ['body.*,body.deep', BODY],
    ['body.deep.*', { deep: BODY.deep }],
    ['body.list.*', { list: BODY.list }],
    ['body.deep.name', { deep: { name: 'n' } }],
    ['body.deep,body.deep.name', { deep: BODY.deep }],
    ['body.deep.name,body.deep', { deep: BODY.deep }],
    ['body.deep.name,body.deep.list', { deep: BODY.deep }],
    ['body.none.x', { none: { x: null } }],
    ['body.none,body.none.x', { none: null }],
  ])('$attributes=%s, in every form of an answer', async (list, shown) => {
    expect((await get(rest, `/rest/Note(1)?$attributes=${list}`)).body.body).toEqual(shown)
    expect((await get(rest, `/rest/Note(1)/${list}`)).body.body).toEqual(shown)
    expect((await get(rest, `/rest/Note?$attributes=${list}`)).body.__ENTITIES[0].body).toEqual(
      shown,
    )
    expect((await get(rest, `/rest/Note?$attributes=${list}`)).body.__ENTITIES[1].body).toBeNull()
    expect((await get(rest, `/rest/Note?$asArray=true&$attributes=${list}`)).body[0].body).toEqual(
      shown,
    )
    const behind = list.split(',').map((path) => `parent.${path}`)
    expect((await get(rest, `/rest/Note(2)?$attributes=${behind}`)).body.parent.body).toEqual(shown)
  })

  test.each<[string, unknown]>([
    ['/rest/Note/body.list?$distinct=true', ['a', 'b', 3]],
    ['/rest/Note?$distinct=true&$attributes=body.deep.list', [1, 2]],
    ['/rest/Note/body.deep.list?$compute=sum&$distinct=true', 3],
    ['/rest/Note/body.deep.list?$compute=sum', 3],
    ['/rest/Note/body.list?$compute=count', 4],
    ['/rest/Note/body.deep?$distinct=true', []],
  ])('%s matches the elements of an array', async (address, values) => {
    const { body } = await get(rest, address)
    expect(
      Array.isArray(body)
        ? body.map((value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value))
        : body,
    ).toEqual(values)
  })

  test.each([
    ['/rest/Note?$attributes=title.*', [1508, 1804]],
    ['/rest/Note?$attributes=body.*.list', [1500, 1804]],
    ['/rest/Note/body.*?$distinct=true', [1500, 1804]],
    ['/rest/Note?$orderby=body.*', [1500, 1810]],
    ['/rest/Note?$orderby=body', null],
    ['/rest/Note?$format=dashboard&$attributes=body.*', null],
  ])('%s is refused', async (address, codes) => {
    const reply = await get(rest, address)
    if (codes === null) expect([400, 404, 422]).toContain(reply.status)
    else expectError(reply, 404, ...codes)
  })
})
