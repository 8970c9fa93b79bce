import { attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createAgency, expectNoHiddenName, HIDING } from './hidden-plans.ts'
import { fixedPorts } from './models.ts'
import { get } from './send.ts'

/** Enough parts that an index is worthwhile for few of them, but not for most. */
function createShop(indexes: readonly string[], parts: number) {
  const indexed = (name: string) => indexes.includes(name)
  const Maker = defineDataClass('Maker', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ indexed: indexed('Maker.name') }),
    parts: attribute.relatedEntities('Part', 'maker'),
  })
  const Part = defineDataClass('Part', {
    ID: attribute.long({ key: true }),
    name: attribute.string({ indexed: indexed('Part.name') }),
    price: attribute.number({ indexed: indexed('Part.price') }),
    size: attribute.long({ indexed: indexed('Part.size') }),
    maker: attribute.relatedEntity('Maker'),
  })
  const store = createDataStore({ name: 'shop', dataClasses: [Maker, Part], ...fixedPorts() })
  store.transact((tx) => {
    for (let ID = 1; ID <= 5; ID++) tx.Maker.insert({ ID, name: `m${ID}` })
    for (let ID = 1; ID <= parts; ID++)
      tx.Part.insert({ ID, name: `p${ID % 7}`, price: ID % 50, size: ID % 3, maker: (ID % 5) + 1 })
  })
  return store
}

// biome-ignore lint/suspicious/noExplicitAny: parsed JSON, looked into by expectations only
type Node = any

/** The indexes that the short plan or path names. */
const inItems = (plan: Node): readonly string[] =>
  [...JSON.stringify(plan).matchAll(/\[index : ([\w.]+) \]/g)].map(([, name]) => name ?? '').sort()
/** Those of the extended one. */
const inNodes = (node: Node): readonly string[] => {
  if (typeof node !== 'object' || node === null) return []
  const below = Object.values(node).flatMap(inNodes)
  return [...(node.type === 'IndexNode' ? [`${node.table}.${node.field}`] : []), ...below].sort()
}
/** Those that operators of the plan read for comparisons. */
const inOperators = ({ operator, index, inputs }: Node): readonly string[] => {
  const own =
    ['keyLookup', 'postingList', 'indexRange'].includes(operator) && index !== null ? [index] : []
  return [...own, ...inputs.flatMap(inOperators)].sort()
}

const condition = fc.constantFrom(
  ...[
    'ID = 7',
    'ID > 3',
    'name = p1',
    "name != 'p1'",
    'name = @p',
    'name begin p',
    'price = 4',
    'price > 40',
    'price >= 0',
  ],
  ...[
    'size = 1',
    'size != 1',
    'maker.name = m2',
    'maker.name != m2',
    'maker.ID = 3',
    'maker = null',
    '__KEY in [1, 2]',
  ],
)
const filter = fc
  .array(fc.tuple(fc.constantFrom(' and ', ' or ', ' except '), fc.boolean(), condition), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) =>
    parts
      .map(([word, isNot, text], at) => `${at === 0 ? '' : word}${isNot ? `not (${text})` : text}`)
      .join(''),
  )
const order = fc.constantFrom('', '&$orderby=price', '&$orderby=name desc', '&$orderby=maker.name')
const page = fc.constantFrom('', '&$top=1', '&$skip=5&$top=3', '&$top=1000')
const indexes = fc.subarray(['Maker.name', 'Part.name', 'Part.price', 'Part.size'])
const SOURCES = ['Part', 'Maker(2)/parts', 'set', 'small set'] as const

test('both forms of the plan and $explain name the same indexes, whatever the filter is applied to', async () => {
  await fc.assert(
    fc.asyncProperty(
      indexes,
      fc.constantFrom(6, 400),
      fc.array(fc.tuple(filter, fc.constantFrom(...SOURCES), order, page), {
        minLength: 1,
        maxLength: 4,
      }),
      async (indexes, parts, asked) => {
        const store = createShop(indexes, parts)
        const rest = createRestHandler(store)
        const sets = {
          set: (await get(rest, '/rest/Part?$method=entityset')).body.__ENTITYSET,
          'small set': (await get(rest, '/rest/Part?$filter="ID < 4"&$method=entityset')).body
            .__ENTITYSET,
        }
        for (const [filter, source, order, page] of asked) {
          const address =
            source === 'set' || source === 'small set' ? sets[source] : `/rest/${source}`
          const query = `$filter=${encodeURIComponent(filter)}${order}${page}&$queryplan=true&$explain=true&$querypath=true`
          const { status, body } = await get(rest, `${address}?${query}`)
          expect([filter, status]).toEqual([filter, 200])
          expect(inNodes(body.__extendedQueryPlan)).toEqual(inItems(body.__queryPlan))
          expect(inNodes(body.__extendedQueryPath)).toEqual(inItems(body.__queryPath))
          const read = new Set(inOperators(body.__explain.root))
          expect([filter, source, [...new Set(inItems(body.__queryPlan))]]).toEqual([
            filter,
            source,
            [...read],
          ])
          // Only existing indexes are named.
          for (const name of read)
            expect([...indexes, 'Part.ID', 'Part.maker', 'Maker.ID']).toContain(name)
        }
      },
    ),
    runs(40),
  )
})

test('a scan is shown as a scan, even if there is an index', async () => {
  const rest = createRestHandler(createShop(['Part.price'], 400))
  const item = async (address: string) => (await get(rest, address)).body.__queryPlan
  const either = await item('/rest/Part?$filter="price >= 0 or name = x"&$queryplan=true')
  expect(inItems(either)).toEqual([])
  expect(JSON.stringify(either)).toContain('Part.price >= 0')
  // The index gives the count and the pages of a range of all records, too.
  expect(await item('/rest/Part?$filter="price >= 0"&$queryplan=true')).toEqual({
    item: '[index : Part.price ] >= 0',
  })
  expect(await item('/rest/Part?$filter="price = 4"&$queryplan=true')).toEqual({
    item: '[index : Part.price ] === 4',
  })
  const set = (await get(rest, '/rest/Part?$filter="ID < 3"&$method=entityset')).body.__ENTITYSET
  expect(await item(`${set}?$filter="price = 4"&$queryplan=true`)).toEqual({
    item: 'Part.price === 4',
  })
  expect(await item('/rest/Part(4)?$filter="price = 4"&$queryplan=true')).toEqual({
    item: 'Part.price === 4',
  })
})

test('if entities are hidden, plans name no index, since its choice would reveal their number', async () => {
  const rest = createRestHandler(createShop(['Part.price', 'Part.name'], 400), {
    authorize: ({ dataClass, action, attribute }) =>
      dataClass === 'Part' && action === 'read' && attribute === undefined ? 'ID > 10' : true,
  })
  const { body } = await get(
    rest,
    '/rest/Part?$filter="price = 4"&$queryplan=true&$explain=true&$querypath=true',
  )
  expect(body.__queryPlan).toEqual({ item: 'Part.price === 4' })
  expect(inItems(body.__queryPath)).toEqual([])
  expect(inOperators(body.__explain.root)).toEqual([])
})

test.each(HIDING)(
  'plans have no hidden name: $title',
  async ({ isCaseExposed, hidden, options }) => {
    await expectNoHiddenName(createRestHandler(createAgency(isCaseExposed), options), hidden)
  },
)

test('a dataclass that no path leads to changes no plan', async () => {
  const [open, closed] = [true, false].map((isCaseExposed) => {
    const Case = defineDataClass(
      'Case',
      { ID: attribute.long({ key: true }) },
      { exposed: isCaseExposed },
    )
    const Part = defineDataClass('Part', { ID: attribute.long({ key: true }) })
    return createDataStore({ name: 'shop', dataClasses: [Case, Part] })
  })
  const planIn = async (rest: RestHandler): Promise<string> => {
    const { body } = await get(rest, '/rest/Part?$filter="ID > 1"&$explain=true')
    return body.__explain.text.replaceAll(/[\d.]+ ms/g, '')
  }
  const plan = await planIn(createRestHandler(open!))
  expect(plan).toContain('Part.ID > 1')
  expect(await planIn(createRestHandler(closed!))).toBe(plan)
  expect(await planIn(createRestHandler(closed!, { authorize: () => true }))).toBe(plan)
})
