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
      [1, 3],
    ],
    'an attribute becomes a relation to several': [
      [
        Person({ of: attribute.relatedEntity('Note') }),
        Note({ by, text: attribute.relatedEntities('Person', 'of') }),
      ],
      [1, 3],
    ],
    'an attribute gets another type': [
      [Person(), Note({ by, text: attribute.object() })],
      [1, 3],
    ],
    'an attribute is gone': [
      [Person(), Note({ by })],
      [1, 3],
    ],
    'a relation becomes a text': [[Person(), Note({ text, by: attribute.string() })], []],
    'keys are numbers': [
      [Person(), defineDataClass('Note', { ID: attribute.long({ key: true }), text, by })],
      [1, 2, 3, 4, 6, 7],
    ],
    'a dataclass is gone': [[Person()], [1, 2, 3, 4, 6, 7]],
    'a day becomes a moment': [[Person(), Note({ text, by, on: attribute.date() })], []],
    'a day becomes a number': [[Person(), Note({ text, by, on: attribute.long() })], [6]],
    'a number becomes a moment': [[Person(), Note({ text, by, rank: attribute.date() })], [7]],
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
    store.dataClass('Note').load([{ ID: 'n' }, { ID: 'gone' }])
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
    expect([...again.problems].map(({ number }) => number)).toEqual(refused)
    for (const number of refused) await again.solve(number, 'theirs')
    await again.current()
    again.store.verify()
    for (const { name } of dataClasses)
      expect(rowsOf((again.store as never as AnyDataStore).dataClass(name).all())).toEqual(
        rowsOf(after.store.dataClass(name).all()),
      )
    if (!refused.includes(6))
      expect(after.store.dataClass('Note').get('n')?.on).toMatch(/^2026-11-26/)
    await again.close()
  },
)
