import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AnyDataClass,
  type AnyDataStore,
  attribute,
  createDataStore,
  defineDataClass,
} from '@entia/core'
import { openJournal } from '@entia/core/node'
import { createRestHandler, ReplicaState } from '@entia/rest'
import { expect, test } from 'vitest'
import { replicate } from '../src/index.ts'
import { linkTo, PAUSES, rowsOf } from './office.ts'
import { until } from './waiting.ts'

// What waits while the definitions change.

const key = () => attribute.string({ key: true })
const Person = (more: object = {}) =>
  defineDataClass('Person', { ID: key(), name: attribute.string(), ...more })
const Note = (attributes: object) =>
  defineDataClass('Note', {
    ID: key(),
    on: attribute.date({ dateOnly: true }),
    rank: attribute.number(),
    ...attributes,
  })
const text = attribute.string()
const by = attribute.relatedEntity('Person')

const BEFORE = [Person(), Note({ text, by })]
/** The definitions afterwards, with the numbers of the transactions that they refuse. */
const AFTER: { readonly [change: string]: readonly [readonly AnyDataClass[], readonly number[]] } =
  {
    'an attribute becomes an alias': [
      [Person(), Note({ by, text: attribute.alias('by.name') })],
      [2, 4],
    ],
    'an attribute becomes a relation to several': [
      [
        Person({ of: attribute.relatedEntity('Note') }),
        Note({ by, text: attribute.relatedEntities('Person', 'of') }),
      ],
      [2, 4],
    ],
    'an attribute gets another type': [
      [Person(), Note({ by, text: attribute.object() })],
      [2, 4],
    ],
    'an attribute is gone': [
      [Person(), Note({ by })],
      [2, 4],
    ],
    'a relation becomes a text': [[Person(), Note({ text, by: attribute.string() })], []],
    'keys are numbers': [
      [Person(), defineDataClass('Note', { ID: attribute.long({ key: true }), text, by })],
      [2, 3, 4, 5, 7, 8],
    ],
    'a dataclass is gone': [[Person()], [2, 3, 4, 5, 7, 8]],
    'a day becomes a moment': [[Person(), Note({ text, by, on: attribute.date() })], []],
    'a day becomes a number': [[Person(), Note({ text, by, on: attribute.long() })], [7]],
    'a number becomes a moment': [[Person(), Note({ text, by, rank: attribute.date() })], [8]],
  }

type Tables = Readonly<Record<'Note' | 'Person', Table>>
interface Table {
  insert(values: object): unknown
  update(key: string, values: object): unknown
  remove(key: string): void
}

const serve = (dataClasses: readonly AnyDataClass[]) => {
  const store = createDataStore({
    name: 'notes',
    dataClasses: [...dataClasses, ReplicaState],
  }) as AnyDataStore
  store.dataClass('Person').insert({ ID: 'p', name: 'Ann' })
  if (store.catalog.byName.get('Note')?.key.type === 'string')
    store.dataClass('Note').load([{ ID: 'n' }, { ID: 'gone' }, { ID: 'both' }])
  return { store, ...linkTo(createRestHandler(store, { replicas: true })) }
}

test.each(Object.entries(AFTER))(
  'each transaction that waits while %s is applied or a problem',
  async (_, [dataClasses, refused]) => {
    const folder = await mkdtemp(join(tmpdir(), 'entia-definitions-'))
    const errors: unknown[] = []
    const begin = ({ db }: Pick<ReturnType<typeof linkTo>, 'db'>, all: readonly AnyDataClass[]) =>
      replicate(db, {
        dataClasses: all,
        shapes: Object.fromEntries(all.map(({ name }) => [name, true])),
        keep: (store) => openJournal(store, folder),
        pauses: PAUSES,
        onError: (error) => errors.push(error),
      })
    const before = serve(BEFORE)
    const first = await begin(before, BEFORE)
    before.cut()
    const write = (body: (tx: Tables) => unknown) => first.transact((tx) => void body(tx as never))
    const conflict = await write((tx) => tx.Note.update('both', { text: 'mine' }))
    before.store.dataClass('Note').update('both', { text: 'theirs' })
    before.connect()
    expect((await conflict.outcome).kind).toBe('problem')
    before.cut()
    await write((tx) => tx.Note.update('n', { text: 'b' }))
    await write((tx) => tx.Note.update('n', { by: 'p' }))
    await write((tx) => tx.Note.insert({ ID: 'm', text: 'c' }))
    await write((tx) => tx.Note.remove('gone'))
    await write((tx) => tx.Person.update('p', { name: 'Eve' }))
    await write((tx) => tx.Note.update('n', { on: '2026-11-26' }))
    await write((tx) => tx.Note.update('n', { rank: 1990 }))
    await first.close()

    const after = serve(dataClasses)
    // The contents arrive before the answers.
    after.wire.lost = 3
    const again = await begin(after, dataClasses)
    await until(() => errors.length > 0 || again.waiting.count === 0)
    expect(errors).toEqual([])
    expect([...again.problems].map(({ number }) => number)).toEqual([1, ...refused])
    const isThere = dataClasses.some(({ name }) => name === 'Note')
    if (!isThere) await expect(again.solve(1, { text: 'x' })).rejects.toThrow('no dataclass "Note"')
    for (const number of [1, ...refused]) {
      const outcome = await again.solve(number, 'mine')
      // It may fit the new definitions; else it is there again, until it is dropped.
      if (outcome.kind === 'problem') await again.solve(outcome.problem.number, 'theirs')
      else expect(number).toBe(1)
    }
    await again.current()
    expect(again.problems.count).toBe(0)
    again.store.verify()
    for (const { name } of dataClasses)
      expect(rowsOf((again.store as never as AnyDataStore).dataClass(name).all())).toEqual(
        rowsOf(after.store.dataClass(name).all()),
      )
    if (!refused.includes(7))
      expect(after.store.dataClass('Note').get('n')?.on).toMatch(/^2026-11-26/)
    await again.close()
  },
)

const Firm = (more: object) =>
  defineDataClass('Firm', {
    ID: key(),
    city: attribute.string({ collation: 'exact' }),
    seat: attribute.string({ collation: 'exact' }),
    ...more,
  })
const Clerk = (more: object) =>
  defineDataClass('Clerk', {
    ID: key(),
    firm: attribute.relatedEntity('Firm'),
    past: attribute.relatedEntity('Firm'),
    ...more,
  })
const KEPT = [
  Firm({ staff: attribute.relatedEntities('Clerk', 'firm') }),
  Clerk({ town: attribute.alias('firm.city') }),
]
const clerksOf = (inverse: string) => attribute.relatedEntities('Clerk', inverse)
/** Definitions with the same columns, in which the names of kept shapes mean something else. */
const RENAMED: { readonly [change: string]: readonly AnyDataClass[] } = {
  'a relation to several is gone': [Firm({}), Clerk({ town: attribute.alias('firm.city') })],
  'a relation to several has another inverse': [
    Firm({ staff: clerksOf('past') }),
    Clerk({ town: attribute.alias('firm.city') }),
  ],
  'an alias is gone': [Firm({ staff: clerksOf('firm') }), Clerk({})],
  'an alias leads elsewhere': [
    Firm({ staff: clerksOf('firm') }),
    Clerk({ town: attribute.alias('firm.seat') }),
  ],
  'a text is compared in another way': [
    Firm({ city: attribute.string({ collation: 'folded' }), staff: clerksOf('firm') }),
    Clerk({ town: attribute.alias('firm.city') }),
  ],
}
const SHAPES = {
  Firm: { filter: "city = 'Paris'", with: ['staff'] },
  Clerk: { filter: "town = 'Paris'" },
}

const serveFirms = (dataClasses: readonly AnyDataClass[]) => {
  const store = createDataStore({
    name: 'firms',
    dataClasses: [...dataClasses, ReplicaState],
  }) as AnyDataStore
  store.dataClass('Firm').load([
    { ID: 'a', city: 'Paris', seat: 'Rome' },
    { ID: 'b', city: 'paris', seat: 'Paris' },
  ])
  store.dataClass('Clerk').load([
    { ID: 'x', firm: 'a', past: 'b' },
    { ID: 'y', firm: 'b', past: 'a' },
  ])
  return { store, ...linkTo(createRestHandler(store, { replicas: true })) }
}

test.each(Object.entries(RENAMED))(
  'where %s, what is kept is not shown before the server is met, and what waits is sent',
  async (_, dataClasses) => {
    const folder = await mkdtemp(join(tmpdir(), 'entia-definitions-'))
    const begin = (
      { db }: Pick<ReturnType<typeof linkTo>, 'db'>,
      all: readonly AnyDataClass[],
      shapes: object,
    ) =>
      replicate(db, {
        dataClasses: all,
        shapes: shapes as typeof SHAPES,
        keep: (store) => openJournal(store, folder),
        pauses: PAUSES,
      })
    const before = serveFirms(KEPT)
    const first = await begin(before, KEPT, SHAPES)
    before.cut()
    await first.transact(
      (tx) => void (tx as never as FirmTables).Firm.update('a', { seat: 'Oslo' }),
    )
    await first.close()

    const after = serveFirms(dataClasses)
    after.cut()
    await expect(begin(after, dataClasses, { Clerk: true })).rejects.toThrow('no connection')
    after.connect()
    const again = await begin(after, dataClasses, { Clerk: true })
    await again.current()
    expect(after.store.dataClass('Firm').get('a')).toMatchObject({ seat: 'Oslo' })
    expect((again.store as never as AnyDataStore).dataClass('Clerk').all().count).toBe(2)
    await again.close()
  },
)

interface FirmTables {
  readonly Firm: Table
}
