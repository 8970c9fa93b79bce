import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StorageAttribute } from '@entia/core'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { CliError } from '../src/cli-error.ts'
import { recordSources } from '../src/data/read-records.ts'
import { describeModel, inferFrom, openInferred } from '../src/infer/open-data.ts'

const folder = mkdtempSync(join(tmpdir(), 'entia-infer-'))
afterAll(() => rmSync(folder, { recursive: true }))

let written = 0
function file(ending: string, content: string, name = `data${++written}`): string {
  const path = join(folder, `${name}.${ending}`)
  writeFileSync(path, content)
  return path
}
const csvOf = (column: string, ...cells: string[]): string =>
  file('csv', `n,${column}\n${cells.map((c, i) => `${i},${c}\n`).join('')}`)

const uuid = '550e8400-e29b-41d4-a716-446655440000'

async function typeIn(path: string, column = 'x'): Promise<string> {
  const { classes } = await inferFrom(path)
  const found = classes[0]!.attributes.find(({ name }) => name === column)!
  return found.dateOnly ? 'day' : found.type
}

describe('the type of a column fits all its values', () => {
  test.each([
    ['long', ['1', '-5', '', '2147483647']],
    ['long64', ['1', '2147483648']],
    ['number', ['1', '2.5', '-1e3', '.5']],
    ['string', ['1', 'two']],
    ['string', ['08001', '12345']],
    ['string', ['+41791234567']],
    ['string', ['12345678901234567890']],
    ['bool', ['true', 'FALSE', '']],
    ['day', ['2024-02-29', '1970-01-01']],
    ['date', ['2024-02-29', '2024-02-29T10:00:00Z']],
    ['date', ['2024-02-29 10:00']],
    ['string', ['2024-02-30x']],
    ['string', ['2024-13-01']],
    ['string', ['2026-02-30']],
    ['string', ['2026-02-30T10:00:00Z']],
    ['uuid', ['123e4567-e89b-12d3-a456-426614174000']],
    ['string', ['', '']],
  ])('%s of CSV cells %j', async (type, cells) => {
    expect(await typeIn(csvOf('x', ...cells))).toBe(type)
  })

  test.each([
    ['string', ['12', '13']],
    ['string', ['true']],
    ['string', [1, 'x']],
    ['long', [1, null, 2]],
    ['number', [1, 2.5]],
    ['bool', [true, false]],
    ['day', ['2024-01-01']],
    ['object', [{ a: 1 }, ['b']]],
    ['string', [{ a: 1 }, 'b']],
  ])('%s of JSON values %j', async (type, values) => {
    expect(await typeIn(file('json', JSON.stringify(values.map((x, n) => ({ n, x })))))).toBe(type)
  })
})

describe('the key', () => {
  const keyIn = async (path: string): Promise<string> => {
    const { classes } = await inferFrom(path)
    const { name, type, column } = classes[0]!.attributes.find(({ isKey }) => isKey)!
    return `${name} ${type}${column === null ? ' generated' : ''}`
  }
  test.each([
    ['id,a\n1,2\n2,2\n', 'id long'],
    ['a,ID\n1,x\n2,y\n', 'ID string'],
    ['_id,id\n1,5\n2,5\n', '_id long'],
    ['code,a\nCH,1\nFR,2\n', 'code string'],
    ['a,b\n1,2\n2,3\n', 'ID long generated'],
    ['id,ID\n1,1\n1,1\n', 'entityID long generated'],
    ['id,a\n1,2\n,3\n', 'ID long generated'],
    ['id,a\n1,2\n2147483646,3\n', 'id long'],
    ['id,a\n1,2\n2147483647,3\n', 'id long64'],
  ])('of %j is %s', async (content, key) => {
    expect(await keyIn(file('csv', content))).toBe(key)
  })

  test('is found by its dataclass name; repeated values cause a remark', async () => {
    expect(await keyIn(file('csv', 'cityID,name\n1,a\n2,b\n', 'cities'))).toBe('cityID long')
    const { remarks } = await inferFrom(file('csv', 'id,a\n1,2\n1,3\n'))
    expect(remarks.join(' ')).toMatch(
      /"id" is not a key: values are missing or repeated.*"ID" numbers the rows/,
    )
  })
})

describe('relations', () => {
  const relationsIn = async (lists: Record<string, object[]>) => {
    const { classes, remarks } = await inferFrom(file('json', JSON.stringify(lists)))
    const relations = classes.flatMap(({ name, relations }) =>
      relations.map(
        (each) => `${name}.${each.name} -> ${each.target}.${each.inverse} by ${each.foreignKey}`,
      ),
    )
    return { relations, remarks, order: classes.map(({ name }) => name) }
  }
  const companies = [{ id: 1 }, { id: 2 }]

  test.each([['companyID'], ['companyId'], ['company_id'], ['CompanyId']])(
    'by a column %s',
    async (column) => {
      const { relations, order } = await relationsIn({ staff: [{ id: 1, [column]: 2 }], companies })
      expect(relations).toEqual([`staff.company -> companies.staff by ${column}`])
      expect(order).toEqual(['companies', 'staff'])
    },
  )

  test('are found by the name alone if all values are keys, under another name', async () => {
    const { relations } = await relationsIn({
      companies,
      people: [
        { id: 1, company: 2 },
        { id: 2, company: null },
      ],
    })
    expect(relations).toEqual(['people.companyEntity -> companies.people by company'])
  })

  test('are not inferred if a value is not a key, with a remark', async () => {
    const { relations, remarks } = await relationsIn({
      companies,
      people: [{ id: 1, companyId: 9 }],
    })
    expect(relations).toEqual([])
    expect(remarks).toEqual([
      'people.companyId does not lead to companies: 1 of its values are not keys there.',
    ])
  })

  test('may lead to the same dataclass, and twice to one dataclass', async () => {
    const people = [
      { id: 1, managerId: null },
      { id: 2, managerId: 1 },
    ]
    expect((await relationsIn({ people })).relations).toEqual([
      'people.manager -> people.peopleByManager by managerId',
    ])
    const flights = [{ id: 1, airport_id: 1, airport: 2 }]
    const { relations } = await relationsIn({ airports: companies, flights })
    expect(relations).toEqual([
      'flights.airportEntity -> airports.flightsByAirportEntity by airport_id',
    ])
  })

  test('are not inferred in a cycle, which could not be loaded in order', async () => {
    const { relations, remarks } = await relationsIn({
      a: [{ id: 1, bId: 1 }],
      b: [{ id: 1, aId: 1 }],
    })
    expect(relations).toHaveLength(1)
    expect(remarks.join()).toContain('would close a cycle')
  })
})

test('a key of more bits than the references to it is loaded, continued and referred to', async () => {
  const posts = [{ id: 1 }, { id: 2147483647 }]
  const notes = [{ id: 1, postId: 1 }]
  const data = { posts, notes }
  const store = await openInferred(await inferFrom(file('json', JSON.stringify(data))), 'posts')
  expect(store.dataClass('notes').query('post.id = 1').count).toBe(1)
  expect(store.dataClass('posts').insert({}).key).toBe(2147483648)
})

test.each([
  ['objects beside other values', [{ x: { a: 1 } }, { x: 'b' }, { x: 5 }, { x: [1] }]],
  ['an object behind a text', [{ x: 'b' }, { x: { a: 1 } }]],
  ['UUIDs of two spellings', [{ id: uuid }, { id: uuid.toUpperCase() }]],
  ['UUIDs with some of their dashes', [{ id: uuid.replace('-', '') }]],
  ['the hour 24', [{ x: '2024-01-01T24:00:00Z' }]],
  ['offsets', [{ x: '2024-01-01T23:59+23:59' }, { x: '2024-01-01T23:59-2400' }]],
  ['seconds', [{ x: '2024-01-01 23:59:59,123456789' }, { x: '2024-01-01t23:59:60z' }]],
  ['the first years', [{ x: '0000-01-01' }, { x: '0000-02-29T00:00' }]],
])('an inferred model takes its own data: %s', async (_, rows) => {
  const model = await inferFrom(file('json', JSON.stringify({ rows })))
  const store = await openInferred(model, 'rows')
  expect(store.dataClass('rows').count).toBe(rows.length)
})

// Texts that resemble a type or are one in an unusual spelling.
const nearly = fc.oneof(
  fc.constantFrom(
    ...[uuid, uuid.toUpperCase(), uuid.replaceAll('-', ''), uuid.replace('-', ''), `{${uuid}}`],
    ...['2024-02-29', '2023-02-29', '2024-02-29T10:00', '2024-02-29 10:00:00.5Z', '0000-01-01'],
    ...['2024-2-9', '+012024-01-01', '2024-02-29T24:00Z', '2024-02-29T10:00+14:00', '-1e3'],
    ...['1', '-0', '007', '1.', '.5', '1e400', '9007199254740991', '9007199254740993', '1,5'],
    ...['2147483648', '0x1F', ' 5', '5 ', 'true', 'TRUE ', 'False', 'null', '{}', '[1]', 'NaN'],
  ),
  fc.stringMatching(/^[0-9a-f-]{1,36}$/),
  fc.stringMatching(
    /^[0-9]{1,4}-[0-9]{2}-[0-3][0-9]([T ][0-2][0-9]:[0-5][0-9](Z|[+-][0-9]{2}:?[0-9]{2})?)?$/,
  ),
)

const numeric = (text: string) => Number(text) + 0
/** The value of a text in a column of a type. Columns of other types have some value. */
const READ: ReadonlyMap<string, (text: string) => unknown> = new Map<
  string,
  (text: string) => unknown
>([
  ['string', (text) => text],
  ['uuid', (text) => text.replaceAll('-', '').toUpperCase()],
  ['bool', (text) => text.trim().toLowerCase() === 'true'],
  ['long', numeric],
  ['long64', numeric],
  ['number', numeric],
])

test.each(['csv', 'json'])(
  'an inferred model takes its own data: any texts of %s',
  async (format) => {
    const cells = fc.array(nearly, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(cells, async (values) => {
        const rows = values.map((x, n) => ({ n, x }))
        const lines = values.map((x, n) => `${n},"${x}"\n`)
        const path =
          format === 'csv'
            ? file('csv', `n,x\n${lines.join('')}`)
            : file('json', JSON.stringify({ rows }))
        const model = await inferFrom(path)
        const store = await openInferred(model, 'rows')
        const { name, attributes } = store.catalog.classes[0]!
        const found = [...store.dataClass(name).all().orderBy('n')].map((each) => each.x)
        const { type } = attributes.get('x') as StorageAttribute
        expect(found).toEqual(
          values.map((text) => (READ.get(type) ?? (() => expect.anything()))(text)),
        )
      }),
      runs(300),
    )
  },
)

test('references to UUIDs are found in any spelling', async () => {
  const data = { posts: [{ id: uuid }], notes: [{ id: 1, postId: uuid.toUpperCase() }] }
  const { classes } = await inferFrom(file('json', JSON.stringify(data)))
  expect(classes.find(({ name }) => name === 'notes')?.relations).toHaveLength(1)
})

test('a store of inferred data answers queries across relations', async () => {
  const model = await inferFrom(new URL('./fixtures/office', import.meta.url).pathname)
  const store = await openInferred(model, 'office')
  store.verify()
  expect(
    store
      .dataClass('employees')
      .query("company.City = 'zurich' and active = true")
      .select('lastName, company.name' as string),
  ).toEqual([{ lastName: 'Byron', company: { name: 'Analytical Engines' } }])
  expect(store.dataClass('companies').get(3)).toMatchObject({
    name: null,
    founded: null,
    revenue: 3,
  })
  expect(describeModel(model)).toContain('manager -> employees by managerId')
})

test.each([
  ['a;b\n1,5;x\n', ['1,5', 'x']],
  ['a\tb\n1\tx,y\n', [1, 'x,y']],
  ['"a;1",b\n1,x\n', [1, 'x']],
])('the delimiter of %j is detected', async (content, values) => {
  const store = await openInferred(await inferFrom(file('csv', content)), 'x')
  const [model] = store.catalog.classes
  const [row] = store.dataClass(model!.name).all().toArray()
  expect(Object.values({ ...row }).slice(-2)).toEqual(values)
})

describe('imperfect files', () => {
  test('other members of a JSON object of lists are skipped with a remark; an object without lists is refused', async () => {
    const { classes, remarks } = await inferFrom(
      file('json', '{"posts":[{"id":1}],"profile":{"name":"x"},"n":1}', 'db'),
    )
    expect(classes.map(({ name }) => name)).toEqual(['posts'])
    expect(remarks.filter((remark) => remark.includes('is not a list of objects'))).toHaveLength(2)
    await expect(inferFrom(file('json', '{"profile":{"name":"x"}}'))).rejects.toThrow(
      'must be a list of objects',
    )
  })

  test.each(['csv', 'ndjson', 'json'])(
    '%s in another encoding is refused with its line and a remedy',
    async (ending) => {
      // Longer than a chunk of the file, with multi-byte text at the boundaries.
      const before = Array.from({ length: 20_000 }, (_, n) => `${n},ü😀\n`).join('')
      const path = join(folder, `latin.${ending}`)
      writeFileSync(
        path,
        Buffer.concat([Buffer.from(`n,x\n${before}`), Buffer.from('1,M\xe1laga\n', 'latin1')]),
      )
      const read = async () => {
        for (const source of await recordSources(
          { path, name: 'latin', format: ending as 'csv' },
          () => {},
        ))
          for await (const _ of source.records());
      }
      if (ending === 'ndjson')
        writeFileSync(
          path,
          Buffer.concat([Buffer.from('{"a":"ü"}\n\n{"a":"'), Buffer.from([0xe1])]),
        )
      await expect(read()).rejects.toThrow(
        ending === 'ndjson' ? 'line 3, is not UTF-8' : 'line 20002, is not UTF-8',
      )
      await expect(read()).rejects.toThrow('iconv -f windows-1252 -t utf-8')
    },
  )
})

test.each([false, true])(
  'empty CSV cells are null, and two quotes are the empty text: %s',
  async (quoted) => {
    const path = file('csv', `a,b,c\n1,${quoted ? '""' : ''},x\n2,,"y ""z"", "\n"3",,`)
    const [source] = await recordSources({ path, name: 'cells', format: 'csv' }, () => {})
    const records: object[] = []
    for await (const block of source!.records())
      for (let row = 0; row < block.count; row++)
        records.push(
          Object.fromEntries(block.names.map((name, at) => [name, block.values(at)[row]])),
        )
    expect(records).toEqual([
      { a: '1', b: quoted ? '' : null, c: 'x' },
      { a: '2', b: null, c: 'y "z", ' },
      { a: '3', b: null, c: null },
    ])
  },
)

test('column names become distinct attribute names, with a remark each', async () => {
  const { classes, remarks } = await inferFrom(
    file('csv', 'First Name,__v,a.b\n1,2,3\n', 'Blog-posts'),
  )
  expect(classes[0]!.name).toBe('BlogPosts')
  expect(classes[0]!.attributes.map(({ name }) => name)).toEqual(['ID', 'firstName', 'v', 'aB'])
  expect(remarks.filter((remark) => remark.includes('is loaded as the attribute'))).toHaveLength(3)
  expect(remarks.join('\n')).toContain(
    'BlogPosts: the column "First Name" is loaded as the attribute firstName',
  )
  const same = file(
    'csv',
    "first name,firstName,first-name,uri,not,constructor,2024,a'b,a%b,नाम,€\n1,2,3,4,5,6,7,8,9,x,y\n",
  )
  const model = await inferFrom(same)
  const store = await openInferred(model, 'same')
  const [{ name } = { name: '' }] = model.classes
  expect({ ...store.dataClass(name).all().first() }).toEqual({
    ID: 1,
    firstName2: 1,
    firstName: 2,
    firstName3: 3,
    uri_: 4,
    not_: 5,
    constructor_: 6,
    _2024: 7,
    aB: 8,
    aB2: 9,
    नाम: 'x',
    column: 'y',
  })
  for (const attribute of model.classes[0]!.attributes)
    expect(store.dataClass(name).query(`${attribute.name} != null`).count).toBe(1)
})

test('dataclasses are called like their files and lists', async () => {
  const nameOf = async (file: string): Promise<string> => (await inferFrom(file)).classes[0]!.name
  for (const name of ['data', 'employees', 'Statistics', 'news'])
    expect(await nameOf(file('csv', 'a\n1\n', name))).toBe(name)
  // Members that every store or object has.
  for (const name of ['sessions', 'view', 'constructor'])
    expect(await nameOf(file('csv', 'a\n1\n', name))).toBe(`${name}_`)
})

test('columns named like members of objects and entities are loaded under another name', async () => {
  const names = ['constructor', '__proto__', 'key', 'stamp', 'toString', 'then', 'toJSON', 'length']
  const csv = file('csv', `id,${names.join()}\n1,${names.map((_, at) => at).join()}\n`)
  const json = file(
    'json',
    `[{"id":1,${names.map((name, at) => `${JSON.stringify(name)}:${at}`).join()}}]`,
  )
  for (const path of [csv, json]) {
    const model = await inferFrom(path)
    const store = await openInferred(model, 'built-in')
    const entity = store.dataClass(model.classes[0]!.name).all().first()
    expect(entity).toMatchObject({
      id: 1,
      constructor_: 0,
      proto: 1,
      key_: 2,
      stamp_: 3,
      toString_: 4,
      then_: 5,
      toJSON_: 6,
      length: 7,
    })
    expect(entity?.key).toBe(1)
    expect(model.remarks.join('\n')).toContain(
      'the column "key" is loaded as the attribute key_, since every entity has a member "key"',
    )
  }
  expect(await typeIn(file('csv', 'key,value\na,1\nb,2\n'), 'key_')).toBe('string')
})

test('files and relations with reserved or numeric names are renamed', async () => {
  const lists = {
    '2024 sales': [{ id: 1, uri_id: 1, notID: 1 }],
    uri: [{ id: 1 }],
    nots: [{ id: 1 }],
  }
  const model = await inferFrom(file('json', JSON.stringify(lists)))
  const store = await openInferred(model, 'reserved')
  expect(store.catalog.classes.map(({ name }) => name).sort()).toEqual([
    '_2024Sales',
    'nots',
    'uri',
  ])
  expect(store.dataClass('_2024Sales').query('uri_.id = 1 and not_.id = 1').count).toBe(1)
})

test.each([
  ['csv', 'a,b\n1,2,3\n', 'line 2: it has 3 cells, and the first line names 2.'],
  ['csv', 'a,a\n1,2\n', 'two columns are called "a"'],
  ['csv', 'a,\n1,2\n', 'column 2 has no name'],
  ['csv', '', 'has no rows'],
  ['ndjson', '{"a":1}\n\n[1]\n', 'line 3 is not an object'],
  ['ndjson', '{"a":1}\n{"a"\n', 'line 2 is not JSON'],
  ['json', '3', 'must be a list of objects'],
  ['json', '{"b":3}', 'an object of such lists'],
  ['json', '[1]', 'row 1 is not an object'],
])('a %s file %j is refused with the file and the place', async (ending, content, reason) => {
  const path = file(ending, content)
  const error = await inferFrom(path).catch((error: unknown) => error)
  expect(error).toBeInstanceOf(CliError)
  expect((error as Error).message).toContain(path)
  expect((error as Error).message).toContain(reason)
})
