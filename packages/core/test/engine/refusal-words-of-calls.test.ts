import { beforeEach, describe, expect, test } from 'vitest'
import {
  attribute,
  createDataStore,
  createMedia,
  defineDataClass,
  type EntiaError,
  openDump,
} from '../../src/index.ts'
import { refusalOf } from '../filter/refusal.ts'
import { linesOfDump, sealedDump } from '../sealed-dump.ts'

const Firm = defineDataClass('Firm', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  notes: attribute.object(),
  founded: attribute.date({ dateOnly: true }),
  logo: attribute.image(),
  parent: attribute.relatedEntity('Firm'),
})
const dataClasses = [Firm] as const
const make = () => createDataStore({ name: 'firms', dataClasses })

let store: ReturnType<typeof make>
beforeEach(() => {
  store = make()
  store.Firm.insert({
    name: 'Acme',
    founded: '2020-02-29',
    logo: createMedia('image/png', new Uint8Array([1, 2])),
  })
})

test.each<readonly [string, readonly string[], (given: typeof store) => unknown]>([
  ['argumentInvalid', ['The global stamp', 'from 0 to 1'], (given) => given.at(-1)],
  ['argumentInvalid', ['The global stamp', 'the text "1"'], (given) => given.at('1' as never)],
  [
    'argumentInvalid',
    ['The option since', 'from 0 to 1'],
    (given) => given.changes({ since: 1.5 }),
  ],
  [
    'argumentInvalid',
    ['The option since', 'undefined'],
    (given) => given.changes(undefined as never),
  ],
  [
    'argumentInvalid',
    ['The upload', 'createMedia', 'null'],
    (given) => given.uploads.put(null as never),
  ],
  [
    'argumentInvalid',
    ['The upload', 'createMedia', 'object'],
    (given) => given.uploads.put({} as never),
  ],
  [
    'argumentInvalid',
    ['The event', '"commit" or "error"', 'commits'],
    (given) => given.on('commits' as never, () => {}),
  ],
  ['argumentInvalid', ['The listener', 'a function'], (given) => given.on('commit', 1 as never)],
  [
    'functionNotFound',
    ['Store "firms"', 'nothing'],
    (given) => (given as unknown as { call(name: string): unknown }).call('nothing'),
  ],
  ['functionNotFound', ['nobody'], (given) => given.singleton('nobody' as never)],
  ...(
    [
      (given) => given.dataClass('Nothing' as never),
      (given) => given.at(1).dataClass('Nothing' as never),
      (given) => given.view().dataClass('Nothing' as never),
      (given) => given.view({ rows: { Nothing: '' } } as never),
    ] satisfies ((given: typeof store) => unknown)[]
  ).map((call) => ['dataClassNotFound', ['Nothing', 'Known: Firm'], call] as const),
  [
    'attributeNotApplicable',
    ['notes.a', 'findBy'],
    (given) => given.Firm.findBy('notes.a' as never, 1 as never),
  ],
])('%s: %j', (code, words, call) => {
  const found = refusalOf(() => call(store))
  expect(found.code).toBe(code)
  for (const word of words) expect(found.message).toContain(word)
})

test('an async body is refused, and its writes are rolled back', () => {
  const found = refusalOf(() =>
    store.transact((async () => {
      store.Firm.insert({ name: 'Bolt' })
    }) as never),
  )
  expect(found.message).toContain('The body of a transaction')
  expect(found.message).toContain('Await before the transaction')
  expect(store.Firm.count).toBe(1)
})

test('listeners that commit endlessly are stopped, and the error names their kind', () => {
  const errors: EntiaError[] = []
  store.on('error', (error) => errors.push(error as EntiaError))
  store.on('commit', () => void store.Firm.update(1, { name: `${store.globalStamp}` }))
  store.Firm.update(1, { name: 'x' })
  expect(errors.map(({ code }) => code)).toEqual(['hookTooDeep'])
  expect(errors[0]!.message).toContain('commit listener')
})

test("the id of another session's set is refused", () => {
  const [mine, yours] = [store.sessions.open(), store.sessions.open()]
  const id = store.entitySets.create(store.Firm.all(), { owner: mine } as never)
  const again = refusalOf(() =>
    store.entitySets.create(store.Firm.all(), { id, owner: yours } as never),
  )
  expect(again.message).toContain('one that is free')
  expect(
    refusalOf(() => store.entitySets.create(store.Firm.all(), { id: 'x' } as never)).message,
  ).toContain('32 hexadecimal')
})

describe('a dump of another model says how they differ', () => {
  const withClasses = (change: (classes: unknown) => unknown): Uint8Array => {
    const lines = linesOfDump(store.dump())
    const header = JSON.parse(lines[0]!) as Record<string, unknown>
    return sealedDump([
      JSON.stringify({ ...header, classes: change(header.classes) }),
      ...lines.slice(1),
    ])
  }
  interface Dumped {
    readonly name: string
    readonly columns: readonly { readonly name: string }[]
  }
  const firmOf = (classes: unknown) => (classes as readonly Dumped[])[0]!

  test.each<readonly [string, (classes: unknown) => unknown]>([
    ['the model is not in it', () => []],
    ['dataclass', (classes) => [firmOf(classes), { ...firmOf(classes), name: 'Other' }]],
    ['"Other"', (classes) => [{ ...firmOf(classes), name: 'Other' }]],
    ['name', (classes) => [{ ...firmOf(classes), columns: firmOf(classes).columns.slice(0, 1) }]],
    [
      'order must be the same',
      (classes) => [{ ...firmOf(classes), columns: [...firmOf(classes).columns].reverse() }],
    ],
  ])('%s', (words, change) => {
    const found = refusalOf(() => openDump(withClasses(change), { dataClasses }))
    expect(found.code).toBe('dumpInvalid')
    expect(found.message).toContain(words)
  })

  test.each([
    [null],
    [{}],
    ['x'],
    [[null]],
    [[1]],
    [['Firm']],
    [[{ name: 1, columns: [] }]],
    [[{ name: 'Firm' }]],
    [[{ name: 'Firm', columns: {} }]],
    [[{ name: 'Firm', columns: [null] }]],
    [[{ name: 'Firm', columns: ['ID'] }]],
    [[{ columns: [] }]],
  ])('%j is no list of dataclasses', (classes) => {
    expect(
      refusalOf(() =>
        openDump(
          withClasses(() => classes),
          { dataClasses },
        ),
      ).code,
    ).toBe('dumpInvalid')
  })

  test.each([['"x"'], ['1.5'], ['null'], ['[]'], ['200000001']])(
    'a day of %s is refused',
    (day) => {
      const lines = linesOfDump(store.dump())
      const at = lines.findIndex((line) => line.startsWith('[0,'))
      const entity = JSON.parse(lines[at]!) as unknown[]
      const founded = 3 + store.Firm.model.storage.find(({ name }) => name === 'founded')!.ordinal
      const open = (value: unknown) =>
        openDump(sealedDump(lines.with(at, JSON.stringify(entity.with(founded, value)))), {
          dataClasses,
        })
      expect(open(entity[founded]).Firm.get(1)?.founded).toBe(store.Firm.get(1)?.founded)
      if (day === 'null') expect(open(null).Firm.get(1)?.founded).toBe(null)
      else expect(refusalOf(() => open(JSON.parse(day))).code).toBe('dumpInvalid')
    },
  )

  test.each([
    [[]],
    [['image/png']],
    [['image/png', 'AQI=', 1]],
    [[1, 'AQI=']],
    [['image/png', 2]],
    ['AQI='],
  ])('an image of %j is refused', (image) => {
    const lines = linesOfDump(store.dump())
    const at = lines.findIndex((line) => line.startsWith('[0,'))
    const logo = 3 + store.Firm.model.storage.find(({ name }) => name === 'logo')!.ordinal
    const entity = (JSON.parse(lines[at]!) as unknown[]).with(logo, image)
    expect(
      refusalOf(() => openDump(sealedDump(lines.with(at, JSON.stringify(entity))), { dataClasses }))
        .code,
    ).toBe('dumpInvalid')
  })
})
