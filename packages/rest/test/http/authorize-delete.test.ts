import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { patience, runs } from '../../../core/test/runs.ts'
import { type Authorize, createRestHandler } from '../../src/index.ts'
import { send } from './send.ts'

// Deletions of many entities behind a rule, compared with those of a caller without one.

const Item = defineDataClass('Item', {
  ID: attribute.long({ key: true }),
  isOpen: attribute.bool(),
  isSeen: attribute.bool(),
  next: attribute.relatedEntity('Item', { onDelete: 'restrict' }),
  whole: attribute.relatedEntity('Item', { onDelete: 'cascade' }),
})
type Row = readonly [isOpen: boolean, isSeen: boolean, next: number | null, whole: number | null]

function serve(rows: readonly Row[], authorize?: Authorize) {
  const store = createDataStore({ name: 'items', dataClasses: [Item] })
  store.Item.load(
    rows.map(([isOpen, isSeen, next, whole], at) => ({ ID: at + 1, isOpen, isSeen, next, whole })),
  )
  const rest = createRestHandler(store, authorize === undefined ? {} : { authorize })
  const left = () =>
    store.Item.all()
      .toArray()
      .map(({ ID }) => ID)
  return { rest, left }
}

const remove = (rest: ReturnType<typeof serve>['rest'], filter: string) =>
  send(rest, 'POST', `/rest/Item?$method=delete&$filter="${encodeURIComponent(filter)}"`)

const rule =
  (read: true | string): Authorize =>
  ({ action }) =>
    action === 'delete' ? 'isOpen = true' : action === 'read' ? read : true

test('entities that restrict each other are deleted together behind a rule', async () => {
  const rows: Row[] = [
    [true, true, 2, null],
    [true, true, 1, null],
    [false, true, null, null],
  ]
  const pair = serve(rows, rule(true))
  expect((await remove(pair.rest, 'ID < 3')).body).toEqual({ ok: true })
  expect(pair.left()).toEqual([3])
  const all = serve(rows, rule(true))
  const reply = await remove(all.rest, 'ID > 0')
  expect(reply.status).toBe(207)
  expect(reply.body.__ENTITIES).toMatchObject([
    { __STATUS: { success: true } },
    { __STATUS: { success: true } },
    { __KEY: '3', __STATUS: { success: false, statusText: 'Permission Error' } },
  ])
  expect(all.left()).toEqual([3])
})

test('a deletion removes what it would remove without the rule, of those that the rule permits', {
  timeout: patience.timeout,
}, async () => {
  const key = fc.integer({ min: 1, max: 8 })
  const rarely = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, key)
  const usually = fc.integer({ min: 0, max: 9 }).map((die) => die > 0)
  const row = fc.tuple(usually, usually, rarely, rarely)
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 8, maxLength: 8 }),
      fc.constantFrom('ID > 0', 'ID <= 4', 'ID in [2, 3, 5, 8]'),
      fc.constantFrom<true | string>(true, 'isSeen = true'),
      async (rows, filter, read) => {
        const [ruled, free] = [serve(rows, rule(read)), serve(rows)]
        await remove(ruled.rest, filter)
        const seen = read === true ? '' : ` and ${read}`
        await remove(free.rest, `(${filter}) and isOpen = true${seen}`)
        expect(ruled.left()).toEqual(free.left())
      },
    ),
    runs(300, 60),
  )
})
