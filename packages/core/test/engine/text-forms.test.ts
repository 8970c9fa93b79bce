import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type AnyEntity,
  attribute,
  createDataStore,
  createMedia,
  defineDataClass,
  foreignKeyOf,
  keyOf,
  stampOf,
  type TextForm,
  type TextPiece,
  timestampOf,
} from '../../src/index.ts'
import { codeOf } from './server-state-store.ts'

const City = defineDataClass('City', {
  name: attribute.string({ key: true }),
  people: attribute.relatedEntities('Person', 'city'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true }),
  name: attribute.string(),
  email: attribute.string({ unique: true }),
  amount: attribute.number(),
  serial: attribute.long64(),
  active: attribute.bool(),
  born: attribute.date({ dateOnly: true }),
  seen: attribute.date(),
  notes: attribute.object(),
  photo: attribute.image(),
  city: attribute.relatedEntity('City'),
  upper: attribute.computed('string', {
    get: ({ name }: { readonly name: string | null }) => name?.toUpperCase() ?? null,
  }),
})

const STORED = [
  'ID',
  'name',
  'email',
  'amount',
  'serial',
  'active',
  'born',
  'seen',
  'notes',
  'photo',
]
const shown = (value: unknown): string => `<${JSON.stringify(value)}>`
const pieces: readonly TextPiece[] = [
  ...STORED.flatMap((attribute): TextPiece[] => [
    { kind: 'value', head: `${attribute}:`, attribute },
    { kind: 'value', head: ' ', attribute, write: shown },
    {
      kind: 'marked',
      head: ' ',
      attribute,
      write: (value, { key, stamp, timestamp }) => shown([value, key, stamp, timestamp]),
    },
  ]),
  { kind: 'relatedKey', head: ' city:', relation: 'city', write: shown },
  { kind: 'marked', head: ' ', attribute: null, write: shown },
]
const form: TextForm = { pieces, end: ';' }

/** The same text, written from an entity. */
function expectedText(entity: AnyEntity, cityKey: string | number | null): string {
  const marks = [keyOf(entity), stampOf(entity), timestampOf(entity)]
  const values = STORED.map((name) => {
    const value = entity[name] ?? null
    return `${name}:${JSON.stringify(value)} ${shown(value)} ${shown([value, ...marks])}`
  })
  return `${values.join('')} city:${shown(cityKey)} ${shown(null)};`
}

const expectedOne = (entity: AnyEntity | undefined) =>
  entity && {
    text: expectedText(entity, foreignKeyOf(entity, 'city')),
    stamp: stampOf(entity),
    timestamp: timestampOf(entity),
  }

const text = fc.oneof(
  fc.constantFrom('Bern', 'é"\\', '\u2028', '😀', '', 'x'),
  fc.string({ unit: 'binary', maxLength: 4 }),
)
const option = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3 })
const rows = fc.array(
  fc.record({
    name: option(text),
    amount: option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    serial: option(fc.integer()),
    active: option(fc.boolean()),
    born: option(fc.constantFrom('1999-12-31', '2024-02-29', '0001-01-01')),
    seen: option(fc.constantFrom('1999-12-31T23:59:59.999Z', '2024-02-29T00:00:00.000Z')),
    notes: option(fc.constantFrom({ a: [1, null] }, { b: '"' })),
    photo: option(fc.constant(createMedia('image/png', Uint8Array.of(1, 2)))),
    city: option(fc.constantFrom('Bern', 'Zürich')),
  }),
  { minLength: 1, maxLength: 8 },
)

function storeOf(people: readonly object[]) {
  const store = createDataStore({ name: 'forms', dataClasses: [City, Person] })
  for (const name of ['Bern', 'Zürich']) store.City.insert({ name })
  for (const [at, row] of people.entries())
    store.Person.insert({ ...row, ID: at, email: `${at}@example.com` })
  return store
}

test('a form writes the current values of entities, also from cached rows, and undefined for removed members', () => {
  const changes = fc.array(fc.record({ at: fc.nat(7), name: text, remove: fc.boolean() }), {
    maxLength: 6,
  })
  fc.assert(
    fc.property(rows, changes, (people, changes) => {
      const store = storeOf(people)
      const page = store.Person.from(people.map((_, at) => at))
      const check = (): void => {
        const expected = page
          .members()
          .map((entity) => entity && expectedText(entity, foreignKeyOf(entity, 'city')))
        for (let time = 0; time < 3; time++) expect(page.texts(form)).toEqual(expected)
        for (const at of people.keys()) {
          const written = store.Person.text(at, form)
          expect(written && { ...written, life: undefined }).toEqual(
            expectedOne(store.Person.get(at)),
          )
        }
      }
      check()
      for (const { at, name, remove } of changes) {
        if (!store.Person.has(at)) continue
        if (remove) store.Person.remove(at)
        else store.Person.update(at, { name })
        check()
      }
    }),
  )
})

test('a reader who may not see an entity reads null for the key that leads to it, at every moment', () => {
  const store = storeOf([
    { name: 'a', city: 'Bern' },
    { name: 'b', city: 'Zürich' },
  ])
  const view = store.view({ rows: { City: "name = 'Bern'" } })
  const cities: TextForm = {
    pieces: [{ kind: 'relatedKey', head: '', relation: 'city', write: String }],
    end: '',
  }
  expect(view.dataClass('Person').all().texts(cities)).toEqual(['Bern', 'null'])
  expect(store.Person.all().texts(cities)).toEqual(['Bern', 'Zürich'])
  store.Person.update(0, { city: 'Zürich' })
  expect(view.dataClass('Person').all().texts(cities)).toEqual(['null', 'null'])
  const people: TextForm = { pieces: [{ kind: 'value', head: '', attribute: 'name' }], end: '' }
  const few = store.view({ rows: { Person: "name = 'b'" } })
  for (let time = 0; time < 3; time++) {
    expect(few.dataClass('Person').all().texts(people)).toEqual(['"b"'])
    expect([0, 1, 2].map((key) => few.dataClass('Person').text(key, people)?.text)).toEqual([
      undefined,
      '"b"',
      undefined,
    ])
  }
})

test('attributes that a reader may not know, and attributes that are not stored, are refused', () => {
  const store = storeOf([{ name: 'a' }])
  const value = (attribute: string): TextForm => ({
    pieces: [{ kind: 'value', head: '', attribute }],
    end: '',
  })
  const hidden = store
    .view({ hides: ({ name }) => name === 'amount' })
    .dataClass('Person')
    .all()
  expect(codeOf(() => hidden.texts(value('amount')))).toBe('attributeNotFound')
  expect(store.Person.all().texts(value('amount'))).toEqual(['null'])
  expect(codeOf(() => store.Person.all().texts(value('nothing')))).toBe('attributeNotFound')
  for (const name of ['upper', 'city'])
    expect(codeOf(() => store.Person.all().texts(value(name)))).toBe('attributeNotApplicable')
  const related: TextForm = {
    pieces: [{ kind: 'relatedKey', head: '', relation: 'name', write: String }],
    end: '',
  }
  expect(codeOf(() => store.Person.all().texts(related))).toBe('attributeNotApplicable')
})

test('a form is compiled again when a column is replaced: many different words become plain text', () => {
  const store = createDataStore({ name: 'words', dataClasses: [City, Person] })
  const names: TextForm = { pieces: [{ kind: 'value', head: '', attribute: 'name' }], end: '' }
  store.Person.load(
    Array.from({ length: 5000 }, (_, ID) => ({ ID, name: `w${ID % 10}`, email: `${ID}` })),
  )
  const page = store.Person.all().page(4998, 2)
  for (let time = 0; time < 3; time++) expect(page.texts(names)).toEqual(['"w8"', '"w9"'])
  store.Person.updateAll(
    Array.from({ length: 4990 }, (_, key) => ({ key, patch: { name: `new ${key}` } })),
  )
  store.Person.update(4999, { name: 'last' })
  for (let time = 0; time < 3; time++) expect(page.texts(names)).toEqual(['"w8"', '"last"'])
})

test('inside a transaction an entity is written with its staged values, afterwards with the stored ones', () => {
  const store = storeOf([{ name: 'a' }, { name: 'b' }])
  const names: TextForm = { pieces: [{ kind: 'value', head: '', attribute: 'name' }], end: '' }
  const textOf = (key: number) => store.Person.text(key, names)?.text
  const seen = () => [textOf(0), textOf(1), textOf(7)]
  for (let time = 0; time < 3; time++) expect(seen()).toEqual(['"a"', '"b"', undefined])
  const inside: unknown[] = []
  expect(() =>
    store.transact(() => {
      store.Person.update(0, { name: 'A' })
      store.Person.remove(1)
      store.Person.insert({ ID: 7, name: 'c', email: 'c' })
      inside.push(seen())
      throw new Error('undone')
    }),
  ).toThrow('undone')
  expect(inside).toEqual([['"A"', undefined, '"c"']])
  expect(seen()).toEqual(['"a"', '"b"', undefined])
})
