import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, RowBlock } from '../../src/index.ts'
import { runs } from '../runs.ts'

const Row = defineDataClass('Row', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ default: 'no', maxLength: 3 }),
  number: attribute.long({ min: 0 }),
  must: attribute.bool({ notNull: true, default: true }),
  up: attribute.relatedEntity('Row'),
})
const names = ['text', 'number', 'must', 'up', 'ID', 'unknown']
const value = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom<unknown>(undefined, null) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('abcd', -1, 1.5, 'x', true, 7) },
)
const typed: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text: fc.constantFrom('', 'abc'),
  number: fc.constantFrom(0, 1, 2),
  must: fc.boolean(),
  up: fc.constantFrom(1, 2),
  ID: fc.constantFrom(1, 2, 3),
  unknown: fc.constant(undefined),
}
const block = fc
  .tuple(
    fc.uniqueArray(
      fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...names.slice(0, 4)) },
        { weight: 1, arbitrary: fc.constantFrom(...names) },
      ),
      { minLength: 1 },
    ),
    fc.integer({ min: 0, max: 4 }),
  )
  .chain(([given, count]) =>
    fc
      .tuple(
        ...given.map((name) =>
          fc.array(
            fc.oneof({ weight: 15, arbitrary: typed[name]! }, { weight: 1, arbitrary: value }),
            { minLength: count, maxLength: count },
          ),
        ),
      )
      .map((columns) => new RowBlock(given, columns, count)),
  )

const objectsOf = ({ names, columns, count }: RowBlock): object[] =>
  Array.from({ length: count }, (_, at) =>
    Object.fromEntries(
      names
        .map((name, place) => [name, columns[place]![at]])
        .filter(([, given]) => given !== undefined),
    ),
  )

const rowStore = (hooks: object) =>
  createDataStore({ name: 'rows', dataClasses: [defineDataClass('Row', Row.attributes, hooks)] })
const select = 'ID, text, number, must, up.ID'

test('blocks load what their rows load as objects, or are refused with the same error', async () => {
  let loaded = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(block, { maxLength: 4 }),
      fc.boolean(),
      fc.boolean(),
      async (blocks, hasHook, isAsync) => {
        const hooks = hasHook ? { hooks: { init: () => {} } } : {}
        const store = rowStore(hooks)
        const expected = rowStore(hooks)
        const rows = blocks.flatMap(objectsOf)
        const given = isAsync
          ? (async function* () {
              yield* blocks
            })()
          : blocks
        const outcomes: unknown[] = []
        for (const [each, items] of [
          [store, given],
          [expected, rows],
        ] as const)
          try {
            outcomes.push(await each.Row.load(items as never))
            loaded++
          } catch (error) {
            outcomes.push((error as Error).message)
          }
        expect(outcomes[0]).toEqual(outcomes[1])
        expect(store.Row.all().select(select as never)).toEqual(
          expected.Row.all().select(select as never),
        )
      },
    ),
    runs(400),
  )
  expect(loaded).toBeGreaterThan(10)
})

test('progress counts the rows of blocks', () => {
  const store = rowStore({})
  const reported: number[] = []
  const numbers = new RowBlock(['number'], [Array.from({ length: 7000 }, () => 1)])
  store.Row.load([numbers, numbers, { number: 2 }], { onProgress: (rows) => reported.push(rows) })
  expect(reported).toEqual([14_000, 14_001])
  expect(store.Row.count).toBe(14_001)
})

test('a name without column is refused', () => {
  expect(() => new RowBlock(['number', 'text'], [[1]])).toThrow('2 lists, one for each name')
})
