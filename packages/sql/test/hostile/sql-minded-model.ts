import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { fixedPorts } from '../../../rest/test/http/models.ts'

/** Beyond what PostgreSQL takes for a name, and equal up to there. */
export const LONG_NAME = 'n'.repeat(70)

/** Dataclasses and attributes whose names mean something to PostgreSQL. */
export function createOddNames() {
  const text = () => attribute.string({ indexed: true })
  const user = defineDataClass('user', {
    order: attribute.string({ key: true }),
    select: text(),
    SELECT: text(),
    ctid: text(),
    xmin: attribute.long(),
    tableoid: attribute.number(),
    t0: text(),
    excluded: text(),
    unique: attribute.string({ unique: true, collation: 'exact' }),
    when: attribute.date(),
    day: attribute.date({ dateOnly: true }),
    big: attribute.long64({ indexed: true }),
    notes: attribute.object(),
    [`${LONG_NAME}a`]: text(),
    [`${LONG_NAME}b`]: text(),
    table: attribute.relatedEntity('pg_class'),
  })
  const pgClass = defineDataClass('pg_class', {
    oid: attribute.long({ key: true, autoSequence: true }),
    relname: attribute.string(),
    users: attribute.relatedEntities('user', 'table'),
  })
  const store = createDataStore({
    name: 'odd',
    dataClasses: [
      user,
      pgClass,
      ...[
        'entia_store',
        'entia_commit',
        'information_schema',
        `${LONG_NAME}a`,
        `${LONG_NAME}b`,
      ].map((name) =>
        defineDataClass(name, { ID: attribute.long({ key: true, autoSequence: true }), v: text() }),
      ),
    ],
    ...fixedPorts(),
  })
  const load = (name: string, row: object) => store.dataClass(name).insert(row as never)
  load('pg_class', { relname: "pg_class'; DROP TABLE users; --" })
  for (const name of [
    'entia_store',
    'entia_commit',
    'information_schema',
    `${LONG_NAME}a`,
    `${LONG_NAME}b`,
  ])
    load(name, { v: `of ${name}` })
  const TEXTS = ["o'clock", '$1', '--', ';', '%', '_', '\\', '100%_\\', '"quoted"', 'plain', '�']
  for (const [at, order] of TEXTS.entries())
    load('user', {
      order,
      select: order,
      SELECT: `${order}2`,
      ctid: `(0,${at})`,
      xmin: at,
      tableoid: at / 3,
      t0: `t0.${order}`,
      excluded: 'x',
      unique: `u${order}`,
      when: Date.UTC(2024, 0, at + 1),
      day: `2024-01-0${(at % 9) + 1}`,
      big: 2 ** 40 + at,
      notes: { "a'b": at, 'a"b': order, $1: [order, { '--': order }], '%': at % 2 === 0 },
      [`${LONG_NAME}a`]: 'a',
      [`${LONG_NAME}b`]: 'b',
      table: 1,
    })
  return store
}
