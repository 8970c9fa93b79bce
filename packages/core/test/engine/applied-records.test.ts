// Many records of another store, as a replica gets them: the test compares with a load.
import { expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'
import { NEW_SLOT } from '../../src/store/dump/journal-record.ts'
import { applyRecords } from '../../src/store/dump/write-records.ts'
import { handleOf } from '../../src/store/kernel/capability.ts'

const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  mail: attribute.string({ unique: true }),
  note: attribute.string(),
  city: attribute.string({ indexed: true }),
  salary: attribute.number({ indexed: true }),
})
const rows = Array.from({ length: 20_000 }, (_, i) => ({
  ID: 2 * i,
  mail: `m${i}`,
  note: `n${i}`,
  city: i % 7 === 0 ? null : `c${i % 50}`,
  salary: (i * 7919) % 1009,
}))

function opened() {
  const store = createDataStore({ name: 'people', dataClasses: [Person] })
  const { writer } = handleOf(store)
  const [table] = writer.tables
  const record = ({ ID, mail, note, city, salary }: (typeof rows)[number], at: number) => ({
    table,
    slot: NEW_SLOT,
    after: {
      stamp: 1 + (at % 5),
      timestamp: at * 1000,
      values: [ID, mail, note, city, salary],
      columns: null,
    },
  })
  return {
    store,
    table,
    records: rows.map(record),
    record,
    apply: (records: Parameters<typeof applyRecords>[1]) => applyRecords(writer, records, 0),
  }
}

test('entering many records gives the same store as a load, with their own stamps', () => {
  const { store, table, records, apply } = opened()
  const other = opened().store
  other.Person.load(rows)
  let changes = 0
  store.on('commit', (commit) => {
    changes = commit.changes.length
  })
  const before = store.globalStamp
  let entered = 0
  store.Person.query('salary > 1000').live((delta) => {
    entered += delta.entered.length
  })
  apply(records)
  expect(
    store.Person.all()
      .toArray()
      .map((each) => ({ ...each, stamp: 0, timestamp: 0 })),
  ).toEqual(
    other.Person.all()
      .toArray()
      .map((each) => ({ ...each, stamp: 0, timestamp: 0 })),
  )
  expect(store.Person.get(12)?.stamp).toBe(2)
  expect(changes).toBe(20_000)
  expect(entered).toBe(other.Person.query('salary > 1000').count)
  expect(store.at(before).Person.all().count).toBe(0)
  expect(table.columns.map(({ layout }) => layout)).toEqual([
    'number',
    'text',
    'text',
    'word',
    'number',
  ])
  store.verify()
})

test('a key or a unique value that is there twice is refused, and the store stays as it was', () => {
  const { store, records, record, apply } = opened()
  const twice = record({ ...rows[0]!, ID: -1 }, 0)
  for (const last of [records[0]!, twice]) {
    expect(() => apply([...records, last])).toThrow('there twice')
    expect(store.Person.all().count).toBe(0)
    store.verify()
  }
  apply(records)
  expect(store.Person.query('city = c27').count).toBe(other27())
  store.verify()
})

const other27 = (): number => rows.filter(({ city }) => city === 'c27').length
