import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Catalog, refusalOf, type ServedContacts, serveContacts } from './serve-contacts.ts'

let served: ServedContacts
beforeEach(async () => {
  served = await serveContacts()
})
afterEach(() => served.close())

/** The attributes as the client reads them. */
const attributesOf = (catalog: Catalog, name: string) =>
  new Map(
    catalog[name]!.attributes.map((attribute) => [
      attribute.name,
      { ...attribute } as Record<string, unknown>,
    ]),
  )

describe('getCatalog', () => {
  test('gives exactly the exposed dataclasses', async () => {
    const catalog = await served.client().getCatalog()
    expect(Object.keys(catalog).sort()).toEqual(['Company', 'Employee', 'Place', 'Product'])
    expect(served.requests).toEqual(['GET /rest/$catalog/$all'])
  })

  test('gives every attribute a kind that the client knows; computed ones are read-only', async () => {
    const employee = attributesOf(await served.client().getCatalog(), 'Employee')
    expect(employee.has('pin')).toBe(false)
    for (const [name, expected] of [
      ['ID', { kind: 'storage', type: 'long', readOnly: false }],
      ['lastName', { kind: 'storage', type: 'string', readOnly: false }],
      ['birthDate', { kind: 'storage', type: 'date', simpleDate: false }],
      ['hiringDate', { kind: 'storage', type: 'date', simpleDate: true }],
      ['details', { kind: 'storage', type: 'object' }],
      ['photo', { kind: 'storage', type: 'image', readOnly: true }],
      ['resume', { kind: 'storage', type: 'blob', readOnly: true }],
      ['employerName', { kind: 'alias', type: 'string', readOnly: true }],
      ['salaryProcessed', { kind: 'calculated', type: 'string', readOnly: true }],
      ['employer', { kind: 'relatedEntity', type: 'Company' }],
    ] as const)
      expect([name, employee.get(name)]).toEqual([name, expect.objectContaining(expected)])
  })

  test('gives to-many relations the collection type of their target', async () => {
    const catalog = await served.client().getCatalog()
    const staff = attributesOf(catalog, 'Company').get('staff')
    expect(staff).toMatchObject({ kind: 'relatedEntities', entityType: 'Employee' })
    expect(staff?.type).toBe(catalog.Employee?.collectionName)
  })

  test('gives functions as methods of the dataclass, of entities and of collections', async () => {
    const { Employee, Product } = await served.client().getCatalog()
    expect(Employee?.methods).toEqual({
      dataClass: ['bestPaid', 'newest', 'noOne', 'listed', 'askedBy', 'closed'],
      collection: ['payroll', 'paidOver'],
      entity: ['raise', 'greet', 'colleagues'],
    })
    expect(Product?.methods).toEqual({ dataClass: [], collection: [], entity: [] })
  })

  test('gives only the requested dataclasses', async () => {
    expect(Object.keys(await served.client().getCatalog(['Product']))).toEqual(['Product'])
    expect(served.last()).toBe('GET /rest/$catalog/Product')
    const three = await served.client().getCatalog(['Employee', 'Place', 'Company'])
    expect(Object.keys(three).sort()).toEqual(['Company', 'Employee', 'Place'])
  })

  test('refuses an unknown or hidden dataclass, also next to a known one, and an unknown catalog', async () => {
    for (const names of [['Nosuch'], ['Payslip'], ['Product', 'Nosuch']])
      expect(await refusalOf(served.client().getCatalog(names))).toEqual(['Not Found', 1800])
    const client = served.client()
    client.catalog = 'publication'
    expect(await refusalOf(client.getCatalog())).toEqual(['Bad Request', 1806])
  })
})
