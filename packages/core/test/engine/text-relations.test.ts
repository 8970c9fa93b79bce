import { describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass } from '../../src/index.ts'

// Text keys: their foreign keys are words of a dictionary, unlike those of numbers.
const Country = defineDataClass('Country', {
  code: attribute.string({ key: true }),
  name: attribute.string({ indexed: true }),
  cities: attribute.relatedEntities('City', 'country'),
})
const City = defineDataClass('City', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  country: attribute.relatedEntity('Country', { onDelete: 'null' }),
  twin: attribute.relatedEntity('City', { onDelete: 'restrict' }),
  countryName: attribute.alias('country.name'),
  twinCountry: attribute.alias('twin.country.name'),
})

const CODES = ['de', 'fr', 'it', 'es'] as const

/** Sixty cities, some of them without a country. */
function atlas() {
  const store = createDataStore({ name: 'atlas', dataClasses: [Country, City] })
  store.Country.load(CODES.map((code) => ({ code, name: `Land ${code}` })))
  store.City.load(
    Array.from({ length: 60 }, (_, i) => ({
      ID: i + 1,
      name: `City ${i % 9}`,
      country: i % 5 === 4 ? null : CODES[i % 5],
      twin: i === 0 ? null : 1,
    })),
  )
  return store
}
const keys = (count: number, isOne: (i: number) => boolean) =>
  Array.from({ length: count }, (_, i) => i)
    .filter(isOne)
    .map((i) => i + 1)

describe('entities with text keys', () => {
  test('are reached through their relations, both ways', () => {
    const { City, Country } = atlas()
    expect(City.query("country.name = 'Land fr'").keys()).toEqual(keys(60, (i) => i % 5 === 1))
    expect(City.query("country.name = 'Land fr' and name = 'City 1'").keys()).toEqual(
      keys(60, (i) => i % 5 === 1 && i % 9 === 1),
    )
    expect(City.query('country = null').keys()).toEqual(keys(60, (i) => i % 5 === 4))
    expect(City.query("country = 'it'").count).toBe(12)
    expect(City.query("country = 'nowhere'").count).toBe(0)
    expect(Country.query("cities.name = 'City 0'").keys()).toEqual(
      CODES.filter((_, c) => keys(60, (i) => i % 5 === c && i % 9 === 0).length > 0),
    )
    expect(Country.get('de')?.cities.count).toBe(12)
    expect(City.get(2)?.country?.name).toBe('Land fr')
  })

  test('give each distinct value of a relation once, in order', () => {
    const { City } = atlas()
    expect(City.all().distinct('country.name')).toEqual([
      'Land de',
      'Land es',
      'Land fr',
      'Land it',
    ])
    expect(City.query('ID < 3').distinct('country.name')).toEqual(['Land de', 'Land fr'])
    expect(City.all().distinct('twin.name')).toEqual(['City 0'])
    expect(City.all().distinct('country.cities.name')).toHaveLength(9)
  })

  test('order the entities that refer to them, empty relations first', () => {
    const { City } = atlas()
    const names = City.all()
      .orderBy('country.name desc, ID')
      .toArray()
      .map(({ country }) => country?.name ?? null)
    const sorted = [...names].sort((a, b) => ((a ?? '') < (b ?? '') ? 1 : -1))
    expect(names).toEqual(sorted)
  })

  test('show null for a dangling relation, however long the alias path is', () => {
    const { City } = atlas()
    const [first, second] = [City.get(1), City.get(2)]
    expect([first?.countryName, first?.twinCountry]).toEqual(['Land de', null])
    expect([second?.countryName, second?.twinCountry]).toEqual(['Land fr', 'Land de'])
    expect([City.get(5)?.country, City.get(5)?.countryName]).toEqual([null, null])
  })

  test('empty the relations to them on removal, or stay if that is refused', () => {
    const store = atlas()
    store.Country.remove('fr')
    expect(store.City.query('country = null').count).toBe(24)
    expect(store.Country.count).toBe(3)
    expect(() => store.City.remove(1)).toThrow(
      expect.objectContaining({ code: 'removeRestricted' }),
    )
    store.City.update(2, { country: 'es' })
    expect(store.Country.get('es')?.cities.has(2)).toBe(true)
    store.transact((tx) => {
      tx.Country.insert({ code: 'pt', name: 'Land pt' })
      tx.City.update(2, { country: 'pt' })
      expect(tx.City.query("country.name = 'Land pt'").keys()).toEqual([2])
      tx.Country.remove('pt')
      expect(tx.City.get(2)?.country).toBe(null)
    })
    store.verify()
  })

  test('are loaded all or not at all when a load with references fails', () => {
    const store = atlas()
    const before = store.City.count
    const rows = [
      { ID: 100, name: 'new', country: 'de' },
      { ID: 101, name: 'new', country: 'xx' },
    ]
    expect(() => store.City.load(rows)).toThrow(expect.objectContaining({ code: 'loadRefused' }))
    expect(store.City.count).toBe(before)
    expect(store.City.load(rows, { relations: 'null' }).count).toBe(2)
    expect(store.City.get(101)?.country).toBe(null)
    expect(() => store.Country.load([{ code: 'zz' }, { code: null as never }])).toThrow(/row 2/i)
    expect(() => store.Country.load([{ code: 'zz' }, { code: 'zz' }])).toThrow(/row 2/i)
    store.verify()
  })

  test('stay indexed when an index is dropped and created again', () => {
    const store = atlas()
    const asked = () => [
      store.City.query("name begin 'City 3'").keys(),
      store.City.query("name > 'City 7'").keys(),
      store.City.all().orderBy('name, ID').keys(),
    ]
    const before = asked()
    store.City.dropIndex('name')
    expect(asked()).toEqual(before)
    store.City.createIndex('name')
    store.City.createIndex('name')
    expect(asked()).toEqual(before)
    store.verify()
  })
})
