import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { textKey } from '../../src/value/compare.ts'
import { fits, hasWildcard } from '../oracle/plain-value.ts'
import { patience, runs } from '../runs.ts'

/**
 * Every way to store a text: words, words with an order, and plain unique text with an order or
 * without.
 */
const NAMES = ['word', 'ordered', 'email', 'code', 'both'] as const
type Name = (typeof NAMES)[number]
const IS_EXACT: Readonly<Record<Name, boolean>> = {
  word: false,
  ordered: false,
  email: false,
  code: true,
  both: false,
}

const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  word: attribute.string(),
  ordered: attribute.string({ indexed: true }),
  email: attribute.string({ unique: true }),
  code: attribute.string({ unique: true, collation: 'exact' }),
  both: attribute.string({ unique: true, indexed: true }),
  boss: attribute.relatedEntity('Person', { onDelete: 'null' }),
  reports: attribute.relatedEntities('Person', 'boss'),
})

const piece = fc.constantFrom(
  '',
  'a',
  'A',
  'ab',
  'é',
  'e\u0301',
  'ß',
  'SS',
  'İ',
  'user',
  'user1',
  '\u{1f600}',
  '\uff5e',
  '0',
)
const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''))
const pattern = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: piece },
      { weight: 2, arbitrary: fc.constantFrom('@', '*', '@@') },
    ),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .map((pieces) => pieces.join(''))

type Values = { readonly [name in Name]: string | null }
interface Row extends Values {
  readonly ID: number
  readonly boss: number | null
}

const fold = (text: string, isExact: boolean): string => textKey(text, isExact ? 'exact' : 'folded')

/** Many texts with a common prefix: more than are compared one by one. */
const values = fc.record({
  word: fc.option(text),
  ordered: fc.option(text),
  email: fc.option(text),
  code: fc.option(text),
  both: fc.option(text),
})
const people = fc.array(fc.tuple(values, fc.option(fc.nat(60))), { minLength: 1, maxLength: 90 })

/** The given row without unique values that another row has already. */
function withoutDoubles(rows: readonly Row[]): Row[] {
  const taken = new Set<string>()
  return rows.map((row) => {
    const fresh = { ...row } as Record<string, unknown>
    for (const name of ['email', 'code', 'both'] as const) {
      const value = row[name]
      if (value === null) continue
      const key = `${name} ${fold(value, IS_EXACT[name])}`
      if (taken.has(key)) fresh[name] = null
      taken.add(key)
    }
    return fresh as unknown as Row
  })
}

type Asked =
  | {
      readonly kind: 'compare'
      readonly path: readonly 'boss'[]
      readonly name: Name
      readonly operator: '=' | '!='
      readonly of: string
    }
  | {
      readonly kind: 'in'
      readonly path: readonly 'boss'[]
      readonly name: Name
      readonly of: readonly string[]
    }
  | { readonly kind: 'not'; readonly part: Asked }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Asked[] }

const path = fc.constantFrom<readonly 'boss'[]>([], [], [], ['boss'])
const name = fc.constantFrom(...NAMES)
const leaf: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({
    kind: fc.constant('compare' as const),
    path,
    name,
    operator: fc.constantFrom('=' as const, '!=' as const),
    of: fc.oneof(pattern, text),
  }),
  fc.record({
    kind: fc.constant('in' as const),
    path,
    name,
    of: fc.array(fc.oneof(pattern, text), { minLength: 1, maxLength: 8 }),
  }),
)
const asked: fc.Arbitrary<Asked> = fc.oneof(
  { weight: 3, arbitrary: leaf },
  { weight: 1, arbitrary: leaf.map((part): Asked => ({ kind: 'not', part })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('and' as const, 'or' as const),
        fc.array(leaf, { minLength: 2, maxLength: 3 }),
      )
      .map(([kind, parts]): Asked => ({ kind, parts })),
  },
)

/** The filter with its values as placeholders. */
function textOf(asked: Asked, given: unknown[]): string {
  switch (asked.kind) {
    case 'not':
      return `not (${textOf(asked.part, given)})`
    case 'and':
    case 'or':
      return asked.parts.map((part) => `(${textOf(part, given)})`).join(` ${asked.kind} `)
    default: {
      given.push(asked.of)
      const operator = asked.kind === 'in' ? 'in' : asked.operator
      return `${[...asked.path, asked.name].join('.')} ${operator} :${given.length}`
    }
  }
}

function isEqual(found: string, of: string, isExact: boolean): boolean {
  if (/^[@*]+$/.test(of)) return true
  const [pattern, key] = [fold(of, isExact), fold(found, isExact)]
  return hasWildcard(of) ? fits(pattern, key) : pattern === key
}

function holds(rows: ReadonlyMap<number, Row>, row: Row, asked: Asked): boolean {
  switch (asked.kind) {
    case 'not':
      return !holds(rows, row, asked.part)
    case 'and':
      return asked.parts.every((part) => holds(rows, row, part))
    case 'or':
      return asked.parts.some((part) => holds(rows, row, part))
    default: {
      const owner =
        asked.path.length === 0 ? row : row.boss === null ? undefined : rows.get(row.boss)
      const found = owner?.[asked.name] ?? null
      if (found === null) return false
      const isExact = IS_EXACT[asked.name]
      if (asked.kind === 'in') return asked.of.some((of) => isEqual(found, of, isExact))
      return isEqual(found, asked.of, isExact) === (asked.operator === '=')
    }
  }
}

const selected = (rows: ReadonlyMap<number, Row>, asked: Asked): number[] =>
  [...rows.values()].filter((row) => holds(rows, row, asked)).map(({ ID }) => ID)

function storeOf(rows: readonly Row[]) {
  const store = createDataStore({ name: 'people', dataClasses: [Person] })
  store.transact((tx) => {
    for (const { boss: _, ...row } of rows) tx.Person.insert(row)
    for (const { ID, boss } of rows) if (boss !== null) tx.Person.update(ID, { boss })
  })
  return store
}

const rowsOf = (people: readonly (readonly [Values, number | null])[]): Row[] =>
  withoutDoubles(
    people.map(([row, boss], i) => ({
      ...row,
      ID: i + 1,
      boss: boss === null ? null : (boss % people.length) + 1,
    })),
  )

/** A new value for one attribute of one row, or a removal of the row. */
const change = fc.record({ place: fc.nat(), name, value: fc.option(text), isRemoved: fc.boolean() })
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never
const filters = fc.array(asked, { minLength: 1, maxLength: 4 })
const changes = fc.array(change, { maxLength: 4 })

type Store = ReturnType<typeof storeOf>
interface Queried {
  query(filter: string, values: readonly unknown[]): { keys(): readonly unknown[] }
}

function keysOf(source: Queried, asked: Asked): readonly unknown[] {
  const given: unknown[] = []
  const filter = textOf(asked, given)
  return source.query(filter, given).keys()
}

/** Applies a change to both, if unique values allow it. */
function write(
  store: Store,
  rows: Map<number, Row>,
  { place, name, value, isRemoved }: Change,
): void {
  const keys = [...rows.keys()]
  if (keys.length === 0) return
  const ID = keys[place % keys.length]
  if (isRemoved) {
    store.Person.remove(ID)
    rows.delete(ID)
    for (const [key, row] of rows) if (row.boss === ID) rows.set(key, { ...row, boss: null })
    return
  }
  const changed = { ...(rows.get(ID) as Row), [name]: value }
  const others = [...rows.values()].filter((row) => row.ID !== ID)
  if (withoutDoubles([...others, changed]).at(-1)?.[name] !== value) return
  store.Person.update(ID, { [name]: value })
  rows.set(ID, changed)
}

test(
  'a filter with patterns selects the same texts as comparing each one, with every plan and after every write',
  patience,
  () => {
    fc.assert(
      fc.property(people, filters, changes, (people, filters, changes) => {
        const given = rowsOf(people)
        const store = storeOf(given)
        const rows = new Map(given.map((row) => [row.ID, row]))
        for (const next of [null, ...changes]) {
          if (next !== null) write(store, rows, next)
          for (const asked of filters) {
            const values: unknown[] = []
            const filter = textOf(asked, values)
            const expected = selected(rows, asked)
            expect(keysOf(store.Person, asked)).toEqual(expected)
            expect(store.Person.query(filter, values).count).toBe(expected.length)
            const { length } = store.Person.plans(filter, values)
            for (let plan = 0; plan < length; plan++)
              expect(store.Person.query(filter, values, { plan }).keys()).toEqual(expected)
          }
        }
        store.transact((tx) => {
          tx.Person.insert({ ID: 1000, word: 'user', email: 'user1000' })
          rows.set(1000, { ...NOBODY, ID: 1000, word: 'user', email: 'user1000' })
          for (const asked of filters)
            expect(sorted(keysOf(tx.Person, asked))).toEqual(sorted(selected(rows, asked)))
        })
        store.verify()
      }),
      runs(60),
    )
  },
)

test(
  'selections by patterns work when held, live, in the past and through a view',
  patience,
  () => {
    fc.assert(
      fc.property(people, filters, changes, (people, filters, changes) => {
        const given = rowsOf(people)
        const store = storeOf(given)
        const rows = new Map(given.map((row) => [row.ID, row]))
        const then = new Map(rows)
        using snapshot = store.snapshot()
        const held = filters.map((asked) => {
          const values: unknown[] = []
          const selection = store.Person.query(textOf(asked, values), values)
          const followed = new Set<unknown>(selected(rows, asked))
          store.Person.query(textOf(asked, []), values).live(({ entered, left }) => {
            for (const key of left) followed.delete(key)
            for (const { key } of entered) followed.add(key)
          })
          return { asked, selection, followed }
        })
        for (const next of changes) write(store, rows, next)
        using past = store.at(snapshot.globalStamp)
        for (const { asked, selection, followed } of held) {
          expect(sorted([...followed])).toEqual(sorted(selected(rows, asked)))
          expect(selection.count).toBe(selected(then, asked).length)
          expect(selection.toArray().flatMap((one) => one?.key ?? [])).toEqual(
            selected(then, asked).filter((ID) => rows.has(ID)),
          )
          expect(keysOf(past.Person as Queried, asked)).toEqual(selected(then, asked))
        }
        const view = store.view({
          rows: { Person: { filter: "word = 'a@'", wildcards: true, collation: 'folded' } },
        })
        for (const asked of filters.filter((asked) => !textOf(asked, []).includes('boss'))) {
          const seen = selected(rows, { kind: 'and', parts: [asked, SEEN] })
          expect(keysOf(view.dataClass('Person') as Queried, asked)).toEqual(seen)
        }
      }),
      runs(60),
    )
  },
)

/** A new entity takes the slot of a removed one. */
const sorted = (keys: readonly unknown[]): number[] => [...(keys as number[])].sort((a, b) => a - b)

const SEEN: Asked = { kind: 'compare', path: [], name: 'word', operator: '=', of: 'a@' }
const NOBODY: Omit<Row, 'ID'> = {
  word: null,
  ordered: null,
  email: null,
  code: null,
  both: null,
  boss: null,
}
