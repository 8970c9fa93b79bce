import { describe, expect, test } from 'vitest'
import { catalog, refusalOf, served, useContacts } from './serve-contacts.ts'

useContacts()

describe('a new entity', () => {
  test('gets a key and a stamp, and is the same entity when it is saved again', async () => {
    const product = catalog.Product!.create()
    Object.assign(product, { name: 'Lamp', price: 12.5 })
    await product.save()
    expect(product).toMatchObject({ _key: '26', _stamp: 1, ID: 26, name: 'Lamp', price: 12.5 })
    product.price = 13
    await product.save()
    expect(product).toMatchObject({ _key: '26', _stamp: 2, name: 'Lamp', price: 13 })
    expect(served.store.Product.count).toBe(26)
  })

  test('starts with the defaults of its class', async () => {
    const given = await catalog.Product!.create({ name: 'Lamp' }).save()
    expect(given.myBoolean).toBe(true)
    const reported = await catalog.Product!.create({ name: 'Lamp', myBoolean: false }).save()
    expect(reported.myBoolean).toBe(false)
  })

  test('has the values that it was created with: dates, objects, a relation', async () => {
    const employer = await catalog.Company!.find(5)
    const employee = await catalog.Employee!.create({
      lastName: 'Novák',
      salary: 1000,
      isActive: false,
      details: { skills: ['a', 'b'] },
      employer,
    })
    employee.birthDate = new Date('1990-05-06T07:08:09.010Z')
    employee.hiringDate = new Date('2002-11-21T00:00:00Z')
    await employee.save()
    expect(served.store.Employee.get(Number(employee._key))).toMatchObject({
      lastName: 'Novák',
      birthDate: '1990-05-06T07:08:09.010Z',
      hiringDate: '2002-11-21',
      details: { skills: ['a', 'b'] },
      salaryProcessed: '1000 a year',
    })
    expect(employee).toMatchObject({ firstName: null, home: null, salaryProcessed: '1000 a year' })
    expect(employee.hiringDate).toEqual(new Date('2002-11-21T00:00:00Z'))
    expect(employee.employer).toMatchObject({ _key: '5', _deferred: false, name: employer.name })
    expect(employee.managed._deferred).toBe(true)
  })

  test('can have a given key, unless the key is taken', async () => {
    const place = await catalog.Place!.create({ name: "O'Hara's Mill", ZIP: '9' }).save()
    expect([place._key, place._stamp]).toEqual(["O'Hara's Mill", 1])
    place.ZIP = '10'
    await place.save()
    expect(served.store.Place.get("O'Hara's Mill")).toMatchObject({ ZIP: '10', stamp: 2 })
    const [statusText] = await refusalOf(catalog.Place!.create({ name: 'Rye' }).save())
    expect(statusText).toBe('Conflict')
  })
})

describe('a stored entity', () => {
  test('is saved by its changed attributes, and keeps the others', async () => {
    const employee = await catalog.Employee!.find(7)
    employee.salary = 1234
    employee.isActive = null
    await employee.save()
    expect(employee).toMatchObject({
      _key: '7',
      _stamp: 2,
      salary: 1234,
      isActive: null,
      lastName: 'Grau',
    })
    expect(served.store.Employee.get(7)).toMatchObject({
      salary: 1234,
      isActive: null,
      firstName: 'Ada',
    })
  })

  test('keeps its stamp if nothing has changed', async () => {
    const employee = await catalog.Employee!.find(7, { select: 'employer' })
    const before = served.store.globalStamp
    await employee.save()
    expect([employee._stamp, served.store.globalStamp]).toEqual([1, before])
  })

  test('has both kinds of dates changed and set to null', async () => {
    const employee = await catalog.Employee!.find(7)
    employee.birthDate = new Date('2000-02-29T23:59:59.999Z')
    employee.hiringDate = new Date('2020-12-01T00:00:00Z')
    await employee.save()
    expect(served.store.Employee.get(7)).toMatchObject({
      birthDate: '2000-02-29T23:59:59.999Z',
      hiringDate: '2020-12-01',
    })
    await employee.save()
    expect(employee._stamp).toBe(2)
    employee.birthDate = null
    employee.hiringDate = null
    await employee.save()
    expect(served.store.Employee.get(7)).toMatchObject({
      birthDate: null,
      hiringDate: null,
      stamp: 3,
    })
  })

  test('has an object saved if something inside it has changed', async () => {
    const employee = await catalog.Employee!.find(7)
    employee.details.skills = ['singing', '<&>']
    await employee.save()
    expect([employee._stamp, served.store.Employee.get(7)?.details]).toEqual([
      2,
      { skills: ['singing', '<&>'] },
    ])
  })

  test.each([
    `!'()*`,
    `O'Brien & Co. (50+50) = 100% "sure"!`,
    'back\\slash, line\nbreak, tab\t',
    'Čapek – 東京 – 🙂',
    '%20 %zz & ? # /',
    '',
  ])('the text %j arrives unchanged', async (text) => {
    const product = await catalog.Product!.find(3)
    product.name = `|${text}|`
    await product.save()
    expect([product.name, served.store.Product.get(3)?.name]).toEqual([`|${text}|`, `|${text}|`])
  })

  test('has a relation set to an entity and to null', async () => {
    const employee = await catalog.Employee!.find(1)
    employee.employer = await catalog.Company!.find(3)
    await employee.save()
    expect(employee.employer).toMatchObject({ _key: '3', _deferred: false, name: 'Copper Bakers' })
    expect(employee.employerName).toBe('Copper Bakers')
    expect(served.store.Employee.get(1)?.employer?.ID).toBe(3)
    employee.employer = null
    await employee.save()
    expect([employee.employer, employee.employerName, employee._stamp]).toEqual([null, null, 3])
    const { staff } = await catalog.Company!.find(1, { select: 'staff' })
    expect(staff._count).toBe(9)
  })

  test('keeps expanded relations expanded and deferred ones deferred', async () => {
    const employee = await catalog.Employee!.find(2, { select: 'employer' })
    employee.salary = 1
    await employee.save()
    expect(served.last()).toBe('POST /rest/Employee?$method=update&$expand=employer')
    expect([employee.employer.name, employee.home._deferred]).toEqual(['Amber Bakers', true])
    await employee.fetch({ select: 'home,employer' })
    employee.salary = 2
    await employee.save()
    expect(served.last()).toBe('POST /rest/Employee?$method=update&$expand=employer,home')
    expect([employee.employer.name, employee.home.ZIP]).toEqual(['Amber Bakers', '2'])
  })

  test('has a relation to an entity with a text key', async () => {
    const employee = await catalog.Employee!.find(20)
    employee.home = await catalog.Place!.find("King's Landing (old)")
    await employee.save()
    expect(served.store.Employee.get(20)?.home?.name).toBe("King's Landing (old)")
  })

  test('with a stale stamp is refused, and can be saved after a fetch', async () => {
    const employee = await catalog.Employee!.find(7)
    served.store.Employee.update(7, { salary: 5 })
    employee.firstName = 'Changed'
    expect(await refusalOf(employee.save())).toEqual(['Conflict', 1263, 1046, 1517])
    expect(served.store.Employee.get(7)?.firstName).toBe('Ada')
    await employee.fetch()
    employee.firstName = 'Changed'
    await employee.save()
    expect(served.store.Employee.get(7)).toMatchObject({
      firstName: 'Changed',
      salary: 5,
      stamp: 3,
    })
  })

  test('a broken rule, or a refusal of a hook, is reported', async () => {
    const before = served.store.globalStamp
    const employee = await catalog.Employee!.find(7)
    employee.salary = -1
    expect((await refusalOf(employee.save()))[0]).toBe('Unprocessable Entity')
    employee.salary = 'much'
    expect((await refusalOf(employee.save()))[0]).toBe('Bad Request')
    const product = await catalog.Product!.find(1)
    product.name = 'Forbidden'
    const [statusText, ...codes] = await refusalOf(product.save())
    expect([statusText, codes]).toEqual(['Unprocessable Entity', expect.arrayContaining([10_002])])
    expect(served.store.globalStamp).toBe(before)
  })

  test('a relation to a missing entity is refused', async () => {
    const employee = await catalog.Employee!.find(7)
    const gone = await catalog.Company!.create({ name: 'Gone' }).save()
    served.store.Company.remove(Number(gone._key))
    employee.employer = gone
    expect((await refusalOf(employee.save()))[0]).toBe('Unprocessable Entity')
  })
})

describe('recompute', () => {
  test('of a new entity shows the result of a save, and stores nothing', async () => {
    const product = catalog.Product!.create({ price: 3 })
    await product.recompute()
    expect(served.last()).toBe('POST /rest/Product?$method=update&$refresh=true')
    expect(product).toMatchObject({ name: 'Unnamed product', price: 3, myBoolean: true })
    expect([product._key, product._stamp || 0, served.store.Product.count]).toEqual([
      undefined,
      0,
      25,
    ])
    product.price = 4
    await product.save()
    expect(product).toMatchObject({ _key: '26', _stamp: 1, name: 'Unnamed product', price: 4 })
  })

  test('of a stored entity shows the result of its changes, and stores nothing', async () => {
    const employee = await catalog.Employee!.find(7)
    employee.salary = 100
    await employee.recompute()
    expect(employee).toMatchObject({
      _key: '7',
      _stamp: 1,
      salary: 100,
      salaryProcessed: '100 a year',
    })
    expect(served.store.Employee.get(7)).toMatchObject({ stamp: 1, salary: 75_433 })
    await employee.save()
    expect(served.store.Employee.get(7)).toMatchObject({ stamp: 2, salary: 100 })
  })

  test('is refused as the save would be', async () => {
    const employee = await catalog.Employee!.find(7)
    employee.salary = -1
    expect((await refusalOf(employee.recompute()))[0]).toBe('Unprocessable Entity')
  })
})

describe('delete', () => {
  test('removes the entity, once', async () => {
    const product = await catalog.Product!.find(25)
    const same = await catalog.Product!.find(25)
    await product.delete()
    expect(served.last()).toBe('POST /rest/Product(25)?$method=delete')
    expect(served.store.Product.has(25)).toBe(false)
    expect(await refusalOf(catalog.Product!.find(25))).toEqual(['Not Found', 1543])
    expect((await refusalOf(same.delete()))[0]).toBe('Not Found')
    expect((await refusalOf(same.save()))[0]).toBe('Not Found')
    expect(served.store.Product.count).toBe(24)
  })

  test('works for text keys, and sets relations to null', async () => {
    const place = await catalog.Place!.find("King's Landing (old)")
    await place.delete()
    expect(served.store.Place.count).toBe(2)
    expect((await catalog.Employee!.find(1)).home).toBe(null)
  })

  test('is refused if others refer to the entity', async () => {
    const company = await catalog.Company!.find(1)
    expect((await refusalOf(company.delete()))[0]).toBe('Conflict')
    expect(served.store.Company.has(1)).toBe(true)
  })
})
