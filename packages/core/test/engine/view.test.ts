import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AnyEntity, AnySelection, View } from '../../src/index.ts'
import { indexSets, offices } from '../arbitraries.ts'
import { filters, orders, queries } from '../filter-arbitraries.ts'
import { CLASS_NAMES, type ClassName, type PlainData, type Row, SHAPE } from '../oracle/office.ts'
import type { Source } from '../oracle/plain-selection.ts'
import { patience, runs } from '../runs.ts'
import { namesForeignKey, type Rules, rules, seen, viewOf, wholeOf } from './hidden-rows.ts'
import { select, sources } from './office-selections.ts'
import { type Entity, type OfficeStore, officeOf, outcome, plain, rowOf } from './office-store.ts'

/** Attributes and properties behind up to two relations. */
const pathsOf = (className: ClassName, joins = 2): string[] =>
  Object.entries(SHAPE[className].attributes).flatMap(([name, attribute]) => {
    if (attribute.kind === 'one' || attribute.kind === 'many')
      return joins === 0
        ? []
        : pathsOf(attribute.target, joins - 1).map((path) => `${name}.${path}`)
    return name === 'notes' ? ['notes.rank', 'notes.inner.x'] : namesForeignKey(name) ? [] : [name]
  })
const paths = Object.fromEntries(CLASS_NAMES.map((name) => [name, pathsOf(name)]))
const stars = {
  Company: ['', '*', 'employees.*', 'employees.boss.*', 'badges.holder.badges.*'],
  Employee: ['', '*', 'employer.*', 'team.team.*', 'badges.issuer.employees.*', 'boss.boss.*'],
  Badge: ['', '*', 'holder.*', 'issuer.employees.employer.*', 'holder.team.*'],
} as const

const reads = fc.constantFrom(...CLASS_NAMES, 'Employee' as const).chain((className) =>
  fc.record({
    className: fc.constant(className),
    queries: fc.array(
      queries(className).filter(({ text }) => !namesForeignKey(text)),
      { minLength: 1, maxLength: 3 },
    ),
    order: orders(className).filter((text) => !namesForeignKey(text)),
    paths: fc.array(fc.constantFrom(...paths[className]), { minLength: 1, maxLength: 4 }),
    star: fc.constantFrom(...stars[className]),
  }),
)
type Reads = typeof reads extends fc.Arbitrary<infer R> ? R : never

/** Bytes and selections in comparable form. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  const bytes = plain(value)
  if (bytes !== value || typeof value !== 'object' || value === null) return bytes
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, comparable(inner)]))
}

const members = (selection: AnySelection) => [...selection.keys(), '|', selection.count]

/** Everything that can be read from one dataclass, as one value. */
function readAll(view: View, { className, queries, order, paths, star }: Reads): unknown {
  const table = view.dataClass(className)
  const all = table.all()
  const ask = (read: () => unknown) => outcome(() => comparable(read()))
  const keys = [...SOME_KEYS[className]]
  return {
    count: table.count,
    keys: members(all),
    query: queries.map(({ text, params }) => ask(() => members(table.query(text, params)))),
    within: queries.map(({ text, params }) =>
      ask(() => members(all.orderBy(order).query(text, params))),
    ),
    page: queries.map(({ text, params }) =>
      ask(() => members(table.query(text, params).orderBy(order).page(1, 2))),
    ),
    values: queries.map(({ text, params }) =>
      ask(() => table.query(text, params).select(paths.join())),
    ),
    order: ask(() => members(all.orderBy(order))),
    best: ask(() => members(all.orderBy(order).page(0, 2))),
    distinct: paths.map((path) => ask(() => all.distinct(path))),
    compute: paths.map((path) => ask(() => all.compute(path))),
    countOf: paths.map((path) => ask(() => all.countOf(path))),
    select: ask(() => all.select(paths.join())),
    star: ask(() => all.select(star)),
    json: ask(() => all.json([...paths, star].filter((path) => path !== '').join())),
    get: keys.map((key) => ask(() => table.get(key)?.key)),
    has: keys.map((key) => ask(() => table.has(key))),
    from: ask(() => members(table.from([...keys].reverse()))),
    findBy: ask(() => table.findBy(SHAPE[className].key, keys[1])?.key),
    entities: ask(() => all.toArray().map((entity) => readEntity(view, className, entity))),
  }
}
const SOME_KEYS = {
  Company: [1, 2, 3, 4, 5],
  Employee: [1, 2, 3, 4, 5, 6, 7],
  Badge: ['b0', 'B1', 'a2', 'é3', 'b4'],
}

/** An entity as read through the view, and through its own getters. */
function readEntity(view: View, className: ClassName, entity: AnyEntity): unknown {
  return Object.entries(SHAPE[className].attributes)
    .filter(([name]) => !namesForeignKey(name))
    .map(([name, { kind }]) => {
      if (kind === 'one') {
        const related = view.related(entity, name) as AnyEntity | null
        expect(view.relatedKey(entity, name)).toBe(related?.key ?? null)
        return [name, related?.key, entity[name]?.key, related === null ? null : shown(related)]
      }
      if (kind === 'many') {
        const related = view.related(entity, name) as AnySelection
        return [name, members(related), members(entity[name]), related.toArray().map(shown)]
      }
      return [name, view.valueOf(entity, name), entity[name]]
    })
}
const shown = (entity: object) => {
  const { employerID: _employer, issuerID: _issuer, ...row } = rowOf(entity as Entity)
  return row
}

function mustAgree(view: View, data: PlainData, rules: Rules, reads: Reads): void {
  const without = officeOf(seen(data, rules))
  expect(readAll(view, reads)).toEqual(readAll(wholeOf(without), reads))
}

test('a view reads what a store without the hidden entities reads, in every way', patience, () => {
  fc.assert(
    fc.property(offices(), indexSets, rules, reads, (data, indexes, rules, reads) => {
      const view = viewOf(officeOf(data, indexes), rules)
      if (view === null) return
      // A filter that always holds restricts nothing.
      if (view.restrictsRows) expect(CLASS_NAMES.some((name) => rules[name] !== null)).toBe(true)
      mustAgree(view, data, rules, reads)
    }),
    runs(250),
  )
})

test('every plan of a filter finds the same through a view', patience, () => {
  const asked = queries('Employee').filter(({ text }) => !namesForeignKey(text))
  fc.assert(
    fc.property(offices(), indexSets, rules, asked, (data, indexes, rules, { text, params }) => {
      const view = viewOf(officeOf(data, indexes), rules)
      if (view === null) return
      const table = view.dataClass('Employee')
      const expected = outcome(() => members(table.query(text, params)))
      for (let plan = 0; ; plan++) {
        const found = outcome(() => members(table.query(text, params, { plan })))
        if (found === 'refused') break
        expect(found).toEqual(expected)
      }
    }),
    runs(150),
  )
})

test('a view follows the store, also inside a transaction and after its rollback', patience, () => {
  const patches = fc.array(
    fc.tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(null, 10, 20),
      fc.constantFrom(null, 0, 7),
      fc.boolean(),
    ),
    { minLength: 1, maxLength: 4 },
  )
  fc.assert(
    fc.property(offices(), rules, reads, patches, (data, rules, reads, patches) => {
      const store = officeOf(data)
      const view = viewOf(store, rules)
      if (view === null) return
      const before = readAll(view, reads)
      const change = () => {
        for (const [key, salary, level, active] of patches)
          if (store.Employee.has(key)) store.Employee.update(key, { salary, level, active })
      }
      const rolledBack = new Error('taken back')
      const attempt = () =>
        store.transact(() => {
          change()
          mustAgree(view, dataOf(store), rules, reads)
          throw rolledBack
        })
      expect(attempt).toThrow(rolledBack)
      expect(readAll(view, reads)).toEqual(before)
      change()
      mustAgree(view, dataOf(store), rules, reads)
    }),
    runs(60),
  )
})

/** The rows of a store as plain data. */
const dataOf = (store: OfficeStore): PlainData =>
  Object.fromEntries(
    CLASS_NAMES.map((name) => [name, store.dataClass(name).all().toArray().map(dataRow)]),
  ) as never
function dataRow(entity: Entity): Row {
  const keyOf = (name: string) => (entity[name] as Entity | null | undefined)?.key ?? null
  const { scan, ...row } = rowOf(entity)
  if (scan !== undefined)
    return { ...row, boss: keyOf('boss'), scan: scan === null ? null : Uint8Array.of(1, 2) }
  return 'number' in row ? { ...row, holder: keyOf('holder') } : row
}

/** A store whose employees are those of a view. */
const through = (store: OfficeStore, view: View): OfficeStore =>
  ({
    Employee: view.dataClass('Employee'),
    globalStamp: store.globalStamp,
  }) as unknown as OfficeStore

const readable = (source: Source): boolean => !namesForeignKey(JSON.stringify(source))

test('selections of a view stay restricted, however they are combined', patience, () => {
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      rules,
      sources.filter(readable),
      (data, indexes, rules, source) => {
        const store = officeOf(data, indexes)
        const view = viewOf(store, rules)
        if (view === null) return
        const without = officeOf(seen(data, rules))
        const read = (made: () => AnySelection) => outcome(() => members(made()))
        expect(read(() => select(through(store, view), source) as unknown as AnySelection)).toEqual(
          read(() => select(through(without, wholeOf(without)), source) as unknown as AnySelection),
        )
      },
    ),
    runs(150),
  )
})

test('a view shows the visible members of another selection, in their order', patience, () => {
  const asked = filters('Employee').filter(({ text }) => !namesForeignKey(text))
  fc.assert(
    fc.property(
      offices(),
      indexSets,
      rules,
      sources,
      asked,
      (data, indexes, rules, source, { text, params }) => {
        const store = officeOf(data, indexes)
        const view = viewOf(store, rules)
        const made = outcome(() => select(store, source))
        if (view === null || made === 'refused') return
        const without = wholeOf(officeOf(seen(data, rules))).dataClass('Employee')
        const expected = without.from(made.keys())
        const found = view.apply(made as unknown as AnySelection)
        expect(members(found)).toEqual(members(expected))
        expect(found.compute('salary')).toEqual(expected.compute('salary'))
        expect(found.distinct('employer.name')).toEqual(expected.distinct('employer.name'))
        expect(found.select('name, boss.name, team.ID')).toEqual(
          expected.select('name, boss.name, team.ID'),
        )
        const read = (selection: AnySelection) =>
          outcome(() => members(selection.query(text, params)))
        expect(read(found)).toEqual(read(expected))
        const both = view
          .dataClass('Employee')
          .empty()
          .or(made as unknown as AnySelection)
        expect(members(both)).toEqual(members(expected))
      },
    ),
    runs(150),
  )
})
