// Mistakes of the application's own code (a misspelt name, a filter that does not parse) are 500
// and reported to the host. Clients see none of their words, which can name hidden attributes.
import {
  type AnyDataStore,
  attribute,
  createDataStore,
  defineDataClass,
  EntiaError,
  isEntiaError,
} from '@entia/core'
import { describe, expect, test } from 'vitest'
import { createRestHandler } from '../../src/index.ts'

const MISTAKES: { readonly [name: string]: (store: AnyDataStore) => unknown } = {
  filter: (store) => store.dataClass('Note').query("secret = 'xyzzy' and nowhere = 1").count,
  operator: (store) => store.dataClass('Note').query('secret ~ xyzzy').count,
  'wrong type': (store) => store.dataClass('Note').query('secret = :1', [3]).count,
  'missing value': (store) => store.dataClass('Note').query('secret = :xyzzy').count,
  order: (store) => store.dataClass('Note').all().orderBy('nowhere'),
  aggregate: (store) => store.dataClass('Note').all().sum('secret'),
  dataclass: (store) => store.dataClass('Nowhere'),
  function: (store) => store.dataClass('Note').call('nowhere'),
  argument: (store) =>
    store
      .dataClass('Note')
      .all()
      .page(-1, 'xyzzy' as never),
}

const REQUESTS: { readonly [place: string]: readonly [path: string, body?: object] } = {
  init: ['Note', { text: 'b' }],
  beforeSave: ['Note[1]', { text: 'b' }],
  validateSave: ['Note', { text: 'b' }],
  validateRemove: ['Note?$method=delete', { __KEY: 1 }],
  set: ['Note[1]', { size: 3 }],
  get: ['Note[1]'],
  'get in a page': ['Note?$attributes=size'],
  'get in a filter': ['Note?$filter="size=1"'],
  'get in an order': ['Note?$orderby=size'],
  'get in an aggregate': ['Note/size?$compute=sum'],
  'get in groups': ['Note?$groupby=size&$aggregates=count'],
  run: ['Note/run', []],
  identify: ['Note?$attributes=text'],
}

/** Makes the mistake in one place only, once it is armed. */
function served(place: string, mistake: (store: AnyDataStore) => unknown) {
  let isArmed = false
  const at = (name: string): undefined => {
    if (isArmed && place.split(' ')[0] === name) mistake(store)
  }
  const Note = defineDataClass(
    'Note',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      text: attribute.string(),
      secret: attribute.string({ exposed: false }),
      size: attribute.computed('long', {
        get: () => at('get') ?? 1,
        set: () => at('set') ?? { text: 'c' },
      }),
    },
    {
      hooks: {
        init: () => at('init'),
        beforeSave: () => at('beforeSave'),
        validateSave: () => at('validateSave'),
        validateRemove: () => at('validateRemove'),
      },
      functions: { run: { on: 'dataClass', exposed: true, run: () => at('run') } },
    },
  )
  const store: AnyDataStore = createDataStore({ name: 'notes', dataClasses: [Note] })
  store.dataClass('Note').insert({ text: 'a' })
  isArmed = true
  const reported: unknown[] = []
  const rest = createRestHandler(store, {
    onError: (error) => reported.push(error),
    identify: () => at('identify') ?? null,
  })
  return { store, rest, reported }
}

describe.each(Object.keys(REQUESTS))('a mistake in %s', (place) => {
  test.each(Object.keys(MISTAKES))('%s: 500, and only the host learns of it', async (name) => {
    const { store, rest, reported } = served(place, MISTAKES[name]!)
    const dump = store.dump()
    const [path, body] = REQUESTS[place]!
    const response = await rest.fetch(
      new Request(`http://localhost/rest/${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    expect(response.status, text).toBe(500)
    expect(text).not.toMatch(/secret|xyzzy|nowhere/i)
    expect(reported).toHaveLength(1)
    expect(store.dump()).toEqual(dump)
  })
})

test('in process, the error names the hook and has the mistake as its cause', () => {
  const { store } = served('validateSave', MISTAKES.filter!)
  let thrown: unknown
  try {
    store.dataClass('Note').insert({ text: 'b' })
  } catch (error) {
    thrown = error
  }
  if (!isEntiaError(thrown, 'hookFailed')) throw thrown
  expect(thrown.message).toMatch(
    /^The hook "validateSave" of the "Note" dataclass failed: The filter/,
  )
  expect(isEntiaError(thrown.cause, 'filterCannotBeAnalysed')).toBe(true)
})

test('what a hook refuses on purpose is shown as before', async () => {
  const { rest, reported } = served('beforeSave', () => {
    throw new EntiaError('functionRefused', { errCode: 10_007, message: 'Not on Sundays.' })
  })
  const init = { method: 'POST', body: '{"text":"b"}' }
  const response = await rest.fetch(new Request('http://localhost/rest/Note[1]', init))
  expect(await response.text()).toContain('Not on Sundays.')
  expect(reported).toEqual([])
})
