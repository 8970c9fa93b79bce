import { type AnyDataStore, splitFilter } from '@entia/core'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { runs } from '../../../core/test/runs.ts'
import { createRestHandler, type RestHandler } from '../../src/index.ts'
import { createHr } from './models.ts'
import { expectError, get, keys, send } from './send.ts'

let store: AnyDataStore
let rest: RestHandler
beforeEach(() => {
  store = createHr()
  rest = createRestHandler(store)
})

/** A parameter's text as a client sends it that escapes everything. */
const sent = (text: string): string => encodeURIComponent(text)

describe('parameters that clients send', () => {
  describe('an order at the end of a filter', () => {
    test.each([
      "lastName != b-'x order by ID desc",
      "ID > 0 and lastName != 'order by x' order by ID desc",
      'ID>0 ORDER\tBY ID desc',
      'order by ID desc',
    ])('%s: it wins over $orderby', async (filter) => {
      const found = keys(
        await get(rest, `/rest/Employee?$filter=${sent(`"${filter}"`)}&$orderby=ID`),
      )
      expect(found.length).toBeGreaterThan(1)
      expect(found).toEqual([...found].sort((a, b) => Number(b) - Number(a)))
    })

    test('words inside a value are not read as an order', async () => {
      for (const filter of [
        "lastName != 'a order by ID desc'",
        `lastName != "x' order by ID desc"`,
        'ID > 0',
      ])
        expect(
          keys(await get(rest, `/rest/Employee?$filter=${sent(filter)}&$orderby=ID desc`))[0],
        ).not.toBe('1')
    })

    test('the order that core reads from a filter is applied, for any filter', async () => {
      const value = fc.constantFrom(
        ...[
          "b-'x",
          "'a order by ID desc'",
          '"x\' order by y"',
          "O'Neil",
          'order',
          "x'order",
          '\\u0027order',
          '5',
        ],
        ...["'a\\u0027 order by ID'", 'x\\u0022 order by ID desc', "''", '"', "'"],
      )
      const tail = fc.constantFrom(
        '',
        ' order by ID desc',
        ' ORDER  BY lastName, ID',
        '\norder by salary desc, ID',
        ' order by',
      )
      const condition = fc
        .tuple(
          fc.constantFrom(
            'lastName != ',
            'lastName#',
            'ID > 0 and firstName != ',
            '(lastName!=x) or lastName=',
          ),
          value,
        )
        .map((parts) => parts.join(''))
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            condition,
            condition.map((text) => `'${text}'`),
            fc.constant(''),
          ),
          tail,
          async (head, end) => {
            const filter = `${head}${end}`
            fc.pre(filter.trim() !== '')
            const reply = await get(
              rest,
              `/rest/Employee?$filter=${sent(`"${filter}"`)}&$orderby=ID desc`,
            )
            if (reply.status !== 200) return
            const { orderBy } = splitFilter(filter)
            const asked = store.dataClass('Employee').query(filter)
            const inOrder = orderBy === null ? asked.orderBy('ID desc') : asked
            expect(keys(reply)).toEqual(inOrder.keys().map(String))
          },
        ),
        runs(300),
      )
    })
  })

  describe('conditions in quotes', () => {
    test.each([
      ["('ID=1' or 'ID=2') and 'salary>0'", '(ID=1 or ID=2) and salary>0'],
      [`('ID=1' or "ID=2") and 'salary>0'`, '(ID=1 or ID=2) and salary>0'],
      [`"ID=1" or "ID=2"`, 'ID=1 or ID=2'],
      [`"not ('ID=1' or 'ID=2')"`, 'not (ID=1 or ID=2)'],
      [`("ID>1" and "ID<4") order by ID desc`, 'ID>1 and ID<4 order by ID desc'],
      [`"lastName = "Smith""`, "lastName = 'Smith'"],
      [`'ID>1' and ('ID=2' or salary>0)`, 'ID>1 and (ID=2 or salary>0)'],
      [`'ID>1' and ID<4`, 'ID>1 and ID<4'],
      [`"ID>1" order by ID desc`, 'ID>1 order by ID desc'],
      [`"ID>1" and not ("lastName = 'a & b'")`, "ID>1 and not lastName = 'a & b'"],
    ])('%s', async (written, plain) => {
      const found = store.dataClass('Employee').query(plain).keys().map(String)
      const asked = sent(written)
      const form = new URLSearchParams({ $filter: written, $top: '50' })
      for (const query of [
        `$filter=${asked}`,
        `$filter=${asked}&$orderby='ID'`,
        `$top=50&$filter=${asked}`,
        form,
      ])
        expect(keys(await get(rest, `/rest/Employee?${query}`))).toEqual(found)
    })

    test('are refused if a name without $ follows an &', async () => {
      expectError(await get(rest, `/rest/Employee?$filter='ID>1' and ID<4&ID=2`), 400, 1808)
    })

    test('may have placeholders', async () => {
      const filter = sent(`('ID=:1' or 'ID=:2') and 'ID>:1'`)
      expect(keys(await get(rest, `/rest/Employee?$filter=${filter}&$params=[1,3]`))).toEqual(['3'])
    })

    test('are refused with the position in the sent text', async () => {
      const reply = await get(rest, `/rest/Employee?$filter=${sent('"ID=1" and "ID ~ 2"')}`)
      expectError(reply, 400, 1112)
      expect(reply.body.__ERROR[0].message).toContain('"ID=1" and "ID ~ 2"')
    })
  })

  describe('__KEY', () => {
    test.each([
      ['$filter="__KEY = 3"', ['3']],
      [`$filter="__KEY in :1"&$params='[[1,"3"]]'`, ['1', '3']],
      [`$filter="__KEY in :1"&$params=[[2,3]]&$orderby=__KEY desc`, ['3', '2']],
      ['$filter="employer.__KEY = 1 and ID < 3"', null],
      ['$filter="ID > 0 order by __KEY desc"&$top=1', null],
    ])('%s', async (query, expected) => {
      const reply = await get(rest, `/rest/Employee?${query}`)
      const plain = await get(rest, `/rest/Employee?${query.replaceAll('__KEY', 'ID')}`)
      expect(keys(reply)).toEqual(expected ?? keys(plain))
      expect(keys(reply)).toEqual(keys(plain))
    })

    test('names the key attribute in lists', async () => {
      const [first] = (await get(rest, '/rest/Employee?$attributes=__KEY&$asArray=true')).body
      expect(Object.keys(first)).toEqual(['__KEY', '__STAMP', 'ID'])
      expect((await get(rest, '/rest/Setting?$attributes=__KEY&$distinct=true')).body).toEqual([
        'a/b "c"',
        'plain',
      ])
      expect((await get(rest, '/rest/Employee/__KEY?$compute=max')).body).toBe(4)
      const { body } = await get(
        rest,
        '/rest/Employee?$format=dashboard&$attributes=__KEY,employer.__KEY&$top=1',
      )
      expect(body.schema.map(({ name }: { name: string }) => name)).toEqual(['ID', 'employer.ID'])
      expect(body.rows[0].values).toEqual([1, expect.anything()])
      expect((await get(rest, '/rest/Employee:__KEY(2)')).body.__KEY).toBe('2')
    })

    test('refuses a value that is not a key as the key attribute does', async () => {
      expectError(await get(rest, '/rest/Employee?$filter="__KEY = x"'), 400, 1201)
    })
  })

  test('accepts booleans and null in capitals', async () => {
    const things = await get(rest, '/rest/Employee?$filter="employer = NULL"')
    expect(things.status).toBe(200)
  })

  describe('$savedfilter=$all', () => {
    test.each(['$all', "'$all'", '"$all"', '%24all', '%27%24all%27'])(
      '%s makes a set of the whole dataclass',
      async (all) => {
        const id = 'ABCDEF0123456789ABCDEF0123456789'
        const set = `/rest/Employee/$entityset/${id}`
        expectError(await get(rest, set), 404, 1802)
        const everyone = keys(await get(rest, '/rest/Employee'))
        expect(keys(await get(rest, `${set}?$savedfilter=${all}&$savedorderby=ID desc`))).toEqual(
          [...everyone].reverse(),
        )
        expect((await get(rest, `${set}?$filter="ID = 2"`)).body.__COUNT).toBe(1)
      },
    )

    test('is not read as a filter', async () => {
      expect((await get(rest, "/rest/Employee?$filter='$all'")).status).toBe(400)
    })
  })

  describe('$expand of a value with $asArray', () => {
    test.each([
      ['$expand=lastName', '$attributes=lastName'],
      ['$expand=lastName,salary', '$attributes=lastName,salary'],
      ['$expand=lastName&$attributes=ID', '$attributes=ID,lastName'],
      ['$expand=employer.name', '$attributes=*,employer.name'],
      ['$expand=lastName,employer', '$attributes=lastName,employer.*'],
      ['$expand=lastName,employer.name', '$attributes=lastName,employer.name'],
    ])('%s selects what %s does', async (expand, attributes) => {
      const { status, body } = await get(rest, `/rest/Employee?$asArray=true&${expand}`)
      expect(status).toBe(200)
      expect(body).toEqual((await get(rest, `/rest/Employee?$asArray=true&${attributes}`)).body)
    })

    test('one entity stays an object and shows the value, too', async () => {
      const one = await get(rest, '/rest/Employee(1)?$asArray=true&$expand=lastName')
      expect(one.body).toEqual((await get(rest, '/rest/Employee(1)?$attributes=lastName')).body)
    })

    test('is refused elsewhere', async () => {
      expectError(await get(rest, '/rest/Employee?$expand=lastName'), 404, 1508, 1805)
      expectError(await get(rest, '/rest/Employee?$asArray=true&$expand=nothing'), 404, 1500, 1805)
    })
  })

  test('$metadata=full is accepted on every form of the catalog', async () => {
    for (const address of [
      '/rest/$catalog',
      '/rest/$catalog/$all',
      '/rest/$catalog/Employee',
      '/rest/$catalog/Employee,Company',
    ])
      for (const value of ['full', "'full'"])
        expect((await get(rest, `${address}?$metadata=${value}`)).text).toBe(
          (await get(rest, address)).text,
        )
    expectError(await send(rest, 'GET', '/rest/$catalog?$metadata=none'), 400, 9100)
  })
})
