import { describe, expect, test } from 'vitest'
import { catalog, refusalOf, served, useContacts } from './serve-contacts.ts'

useContacts()

describe('find', () => {
  test('gives values in the types of JavaScript', async () => {
    const employee = await catalog.Employee!.find(1)
    expect(served.last()).toBe('GET /rest/Employee(1)')
    expect(employee).toMatchObject({
      _key: '1',
      _stamp: 1,
      _deferred: false,
      ID: 1,
      firstName: 'Ada',
      lastName: 'Abara',
      salary: 27_919,
      isActive: true,
      details: { skills: [] },
      employerName: 'Amber Bakers',
      salaryProcessed: '27919 a year',
    })
    expect(employee.birthDate).toEqual(new Date('1960-01-10T13:00:00.447Z'))
    expect(employee.hiringDate).toEqual(new Date('1999-11-06T00:00:00.000Z'))
    expect(employee).not.toHaveProperty('pin')
    expect(employee.photo.uri).toBe(null)
  })

  test('gives null for empty relations and dates, too', async () => {
    const { key } = served.store.Employee.insert({ lastName: 'Blank' })
    const employee = await catalog.Employee!.find(key)
    for (const name of [
      'firstName',
      'salary',
      'birthDate',
      'hiringDate',
      'isActive',
      'details',
      'employer',
      'home',
    ])
      expect([name, employee[name]]).toEqual([name, null])
  })

  test('relations are deferred until they are selected', async () => {
    const employee = await catalog.Employee!.find(2)
    expect(employee.employer).toMatchObject({ _key: '1', _deferred: true })
    const expanded = await catalog.Employee!.find(2, { select: 'employer' })
    expect(served.last()).toBe('GET /rest/Employee(2)?$expand=employer')
    expect(expanded.employer).toMatchObject({ _key: '1', _deferred: false, name: 'Amber Bakers' })
    expect(expanded.employer.staff._deferred).toBe(true)
    expect(expanded.home._deferred).toBe(true)
  })

  test('a path is expanded at each of its steps, and several are separated by commas', async () => {
    const employee = await catalog.Employee!.find('2', { select: 'employer.staff,home' })
    expect(employee.employer._deferred).toBe(false)
    expect(employee.employer.staff).toMatchObject({
      _deferred: false,
      _count: 10,
      _first: 0,
      _sent: 10,
    })
    expect(employee.employer.staff.entities[9]).toMatchObject({ _key: '10', lastName: 'Jansen' })
    expect(employee.home.ZIP).toBe('2')
  })

  test('a deferred entity can be fetched, and an entity again with its relations', async () => {
    const employee = await catalog.Employee!.find(3)
    await employee.employer.fetch({ select: 'staff' })
    expect(employee.employer).toMatchObject({ _deferred: false, name: 'Amber Bakers' })
    expect(employee.employer.staff.entities).toHaveLength(10)
    served.store.Employee.update(3, { salary: 1 })
    await employee.fetch({ select: 'employer' })
    expect(employee).toMatchObject({ salary: 1, _stamp: 2, employer: { _deferred: false } })
  })

  // The client encodes blanks and quotes of a key, and leaves brackets and percent signs as they
  // are.
  test.each(["King's Landing (old)", encodeURI('San José'), 'Rye'])(
    'finds by the text key %s',
    async (key) => {
      const place = await catalog.Place!.find(key)
      expect(place._key).toBe(decodeURI(key))
      expect(place.residents._deferred).toBe(true)
    },
  )

  test('rejects unknown and malformed keys and unknown relations', async () => {
    expect(await refusalOf(catalog.Employee!.find(9999))).toEqual(['Not Found', 1543])
    expect(await refusalOf(catalog.Employee!.find('me'))).toEqual(['Not Found', 1541])
    expect(await refusalOf(catalog.Place!.find('Nowhere'))).toEqual(['Not Found', 1543])
    const [statusText, ...codes] = await refusalOf(catalog.Employee!.find(1, { select: 'nosuch' }))
    expect([statusText, codes.at(-1)]).toEqual(['Not Found', 1805])
  })
})
