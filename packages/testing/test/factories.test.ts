import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { faker } from '@faker-js/faker'
import { expect, expectTypeOf, test } from 'vitest'
import { createFactories } from '../src/factories/create-factories.ts'

const Country = defineDataClass('Country', {
  code: attribute.string({ key: true, maxLength: 3 }),
  continent: attribute.string({ notNull: true, minLength: 12 }),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  firstName: attribute.string({ notNull: true, maxLength: 4 }),
  email: attribute.string({ unique: true, collation: 'exact' }),
  badge: attribute.long({ unique: true, min: 1000 }),
  age: attribute.long({ min: 18, max: 20 }),
  weight: attribute.number({ min: 40.5, max: 40.6 }),
  born: attribute.date({ dateOnly: true }),
  seen: attribute.date({ notNull: true }),
  isActive: attribute.bool({ notNull: true }),
  watch: attribute.duration(),
  token: attribute.uuid({ unique: true }),
  notes: attribute.object({ notNull: true }),
  photo: attribute.image({ notNull: true }),
  cv: attribute.blob({ notNull: true }),
  rank: attribute.string({ default: 'private' }),
  plate: attribute.string({ pattern: /^[A-Z]{2}-\d{3}$/ }),
  country: attribute.relatedEntity('Country', { notNull: true }),
  boss: attribute.relatedEntity('Person'),
})
const open = () => createDataStore({ name: 'people', dataClasses: [Country, Person] })
const plate = (number: number) => ({ plate: `AB-${String(number).padStart(3, '0')}` })

test('entities generated from the model alone are valid for all types and limits', () => {
  const store = open()
  const make = createFactories(store, { values: { Person: plate } })
  const people = make.Person.createMany(200)
  expect(people).toHaveLength(200)
  expect(store.Person.count).toBe(200)
  // The factory created the required related entity.
  expect(store.Country.count).toBe(1)
  expect(new Set(people.map(({ age }) => age))).toEqual(new Set([18, 19, 20]))
  expect(people.every(({ rank }) => rank === 'private')).toBe(true)
  expect(people.some(({ boss }) => boss !== null)).toBe(true)
  store.verify()
})

test('values that are not functions, or of an unknown dataclass, are refused by name', () => {
  const wrong = (values: object) => () => createFactories(open(), { values } as never)
  expect(wrong({ Person: { firstName: 'Ada' } })).toThrow('The values of Person must be a function')
  expect(wrong({ Persn: plate })).toThrow('The "Persn" dataclass cannot be found. Known: ')
})

test('equal seeds generate equal entities, different seeds different ones', () => {
  const made = (seed: number): unknown => {
    const store = open()
    createFactories(store, { seed, values: { Person: plate } }).Person.createMany(20)
    return store.Person.all().select('firstName, email, age, born, token, country.code')
  }
  expect(made(3)).toEqual(made(3))
  expect(made(3)).not.toEqual(made(4))
})

test('given values override the options of the factory, which override generated values', () => {
  const store = open()
  const make = createFactories(store, {
    values: { Person: (number) => ({ ...plate(number), firstName: 'Ada' }) },
  })
  expect(make.Person.create().firstName).toBe('Ada')
  expect(make.Person.create({ firstName: 'Bo' }).firstName).toBe('Bo')
  expect(make.Person.createMany(3, (place) => ({ age: 18 + place })).map(({ age }) => age)).toEqual(
    [18, 19, 20],
  )
  expect(make.Person.create({ boss: null }).boss).toBeNull()
})

test('build does not store the entity', () => {
  const store = open()
  const make = createFactories(store, { values: { Person: plate } })
  const values = make.Person.build({ age: 19 })
  expect(values.age).toBe(19)
  expect(store.Person.count).toBe(0)
  expect(store.Person.insert(values).age).toBe(19)
})

test('with faker, names are realistic, patterns match, and the seed repeats them', () => {
  const made = (): unknown => {
    const store = open()
    createFactories(store, { faker, seed: 5 }).Person.createMany(10, { firstName: 'Ada' })
    expect(
      store.Person.all()
        .toArray()
        .every(({ plate }) => /^[A-Z]{2}-\d{3}$/.test(plate!)),
    ).toBe(true)
    return store.Person.all().select('email, plate')
  }
  expect(made()).toEqual(made())
})

test('a pattern without faker throws an error with the remedy', () => {
  expect(() => createFactories(open()).Person.create()).toThrow(
    /Person\.plate.*Give the factory a value.*faker/,
  )
})

test('a refused batch inserts nothing', () => {
  const store = open()
  const make = createFactories(store, { values: { Person: plate } })
  expect(() => make.Person.createMany(3, (place) => ({ age: place === 2 ? 5 : 18 }))).toThrow('age')
  expect(store.Person.count).toBe(0)
  expect(store.Country.count).toBe(0)
})

test('rewound factories repeat their values', () => {
  const make = createFactories(open(), { values: { Person: plate } })
  const back = make.mark()
  const { email, token } = make.Person.build()
  expect(make.Person.build().token).not.toBe(token)
  back()
  expect(make.Person.build()).toMatchObject({ email, token })
})

test('types come from the model', () => {
  const make = createFactories(open())
  expectTypeOf(make.Country.create).returns.toHaveProperty('continent').toEqualTypeOf<string>()
  // @ts-expect-error: no attribute of that name
  expect(() => make.Country.create({ continnent: 'Europe' })).toThrow('continnent')
  // @ts-expect-error: no such dataclass
  expect(make.Planet).toBeUndefined()
})

test('relations use the key of an entity, also if an attribute is called key', () => {
  const Lock = defineDataClass('Lock', {
    ID: attribute.long({ key: true, autoSequence: true }),
    key: attribute.long(),
  })
  const Use = defineDataClass('Use', {
    ID: attribute.long({ key: true, autoSequence: true }),
    lock: attribute.relatedEntity('Lock', { notNull: true }),
  })
  const store = createDataStore({ name: 'locks', dataClasses: [Lock, Use] })
  const factories = createFactories(store)
  const [first, second] = factories.Use.createMany(2)
  expect([first?.lock.ID, second?.lock.ID, store.Lock.count]).toEqual([1, 1, 1])
})

test('a dataclass with the name of a factory member is refused', () => {
  const mark = defineDataClass('mark', { ID: attribute.long({ key: true }) })
  expect(() => createFactories(createDataStore({ name: 'marks', dataClasses: [mark] }))).toThrow(
    'Rename the dataclass "mark"',
  )
})
