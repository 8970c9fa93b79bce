import { beforeEach, describe, expect, test } from 'vitest'
import { attribute, createDataStore, defineDataClass, openDump } from '../../src/index.ts'
import { refusalOf } from '../filter/refusal.ts'
import { linesOfDump, sealedDump } from '../sealed-dump.ts'

const Firm = defineDataClass('Firm', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  notes: attribute.object(),
  logo: attribute.image(),
  file: attribute.blob(),
  staff: attribute.relatedEntities('Person', 'firm'),
})
const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  firm: attribute.relatedEntity('Firm'),
})
const dataClasses = [Firm, Person] as const
const open = () => createDataStore({ name: 'firms', dataClasses })
type Store = ReturnType<typeof open>

let store: Store
beforeEach(() => {
  store = open()
  store.Firm.load([{ name: 'Acme' }, { name: 'Bolt' }])
  store.Person.insert({ name: 'Ada', firm: 1 })
})

describe('an error names the wrong argument and what was expected', () => {
  const cases: readonly (readonly [
    string,
    string,
    readonly string[],
    (store: Store) => unknown,
  ])[] = [
    [
      'an unknown limit',
      'argumentInvalid',
      ['maxSetz', 'one of', 'maxBytes', ', '],
      () => createDataStore({ name: 'x', dataClasses, entitySets: { maxSetz: 1 } as never }),
    ],
    [
      'a stamp of the future',
      'argumentInvalid',
      ['a whole number from 0 to 2', 'global stamp of now', '3'],
      (store) => store.at(store.globalStamp + 1),
    ],
    [
      'an index of objects',
      'indexInvalid',
      ['Firm', 'notes', 'only stored'],
      (store) => store.Firm.createIndex('notes'),
    ],
    [
      'an index of images',
      'indexInvalid',
      ['logo', 'only stored'],
      (store) => store.Firm.createIndex('logo'),
    ],
    [
      'an index of bytes',
      'indexInvalid',
      ['file', 'only stored'],
      (store) => store.Firm.createIndex('file'),
    ],
    [
      'an index of a relation',
      'indexInvalid',
      ['staff', 'only stored'],
      (store) => store.Firm.dropIndex('staff'),
    ],
    [
      'an index of nothing',
      'attributeNotFound',
      ['nmae', 'name'],
      (store) => store.Firm.createIndex('nmae' as never),
    ],
    [
      'a set of no selection',
      'argumentInvalid',
      ['The selection', 'object'],
      (store) => store.entitySets.create({} as never),
    ],
    [
      'a set of another store',
      'argumentInvalid',
      ['The selection', 'another store'],
      (store) => store.entitySets.create(open().Firm.all()),
    ],
    [
      'a listener that is none',
      'argumentInvalid',
      ['The listener', 'a function', 'number'],
      (store) => store.Firm.all().live(1 as never),
    ],
    [
      'a signal that is none',
      'argumentInvalid',
      ['signal', 'an AbortSignal'],
      (store) => store.Firm.all().live(() => {}, { signal: { aborted: false } as never }),
    ],
    [
      'an option stopped that is not a function',
      'argumentInvalid',
      ['stopped', 'a function'],
      (store) => store.Firm.all().live(() => {}, { stopped: 1 as never }),
    ],
    [
      'a value looked for over a relation',
      'attributeNotApplicable',
      ['Person', 'firm.name', 'findBy', 'Name a stored attribute'],
      (store) => store.Person.findBy('firm.name' as never, 'Acme' as never),
    ],
    [
      'a value looked for in what is no stored attribute',
      'attributeNotApplicable',
      ['staff', 'findBy'],
      (store) => store.Firm.findBy('staff' as never, 1 as never),
    ],
    [
      'a plan that there is not',
      'argumentInvalid',
      ['plan', 'a number below', '99'],
      (store) => store.Firm.query('name = Acme', [], { plan: 99 }),
    ],
    [
      'a snapshot that is none',
      'snapshotForeign',
      ['it is not a snapshot'],
      (store) => store.restore({} as never),
    ],
    [
      'null as a snapshot',
      'snapshotForeign',
      ['it is not a snapshot'],
      (store) => store.restore(null as never),
    ],
    [
      'text as a snapshot',
      'snapshotForeign',
      ['it is not a snapshot'],
      (store) => store.restore('x' as never),
    ],
    [
      'a snapshot of another store',
      'snapshotForeign',
      ['another store'],
      (store) => store.restore(open().snapshot() as never),
    ],
    [
      'a snapshot that was disposed of',
      'snapshotForeign',
      ['disposed'],
      (store) => {
        const snapshot = store.snapshot()
        snapshot.dispose()
        store.restore(snapshot)
      },
    ],
    ...(['restore', 'createIndex', 'dropIndex'] as const).map(
      (operation): (typeof cases)[number] => [
        `${operation} in a transaction`,
        'notInTransaction',
        [operation],
        (store) => {
          const snapshot = store.snapshot()
          store.transact(() =>
            operation === 'restore' ? store.restore(snapshot) : store.Firm[operation]('name'),
          )
        },
      ],
    ),
    ...(
      [
        'insert',
        'update',
        'updateAll',
        'remove',
        'preview',
        'load',
        'createIndex',
        'dropIndex',
        'call',
        'callOn',
      ] as const
    ).map((operation): (typeof cases)[number] => [
      `${operation} of the past`,
      'pastReadOnly',
      [operation],
      (store) =>
        (store.at(store.globalStamp).Firm as unknown as Record<string, () => unknown>)[operation](),
    ]),
    ...(['transact', 'restore'] as const).map((operation): (typeof cases)[number] => [
      `${operation} of the past`,
      'pastReadOnly',
      [operation],
      (store) =>
        (store.at(store.globalStamp) as unknown as Record<string, () => unknown>)[operation](),
    ]),
  ]
  test.each(cases)('%s', (_, code, words, call) => {
    const { code: found, message } = refusalOf(() => call(store))
    expect(found).toBe(code)
    for (const word of words) expect(message).toContain(word)
    store.verify()
  })
})

describe('the error of an unreadable dump says what is wrong', () => {
  const at = (lines: string[], name: string) =>
    lines.findIndex((line) => line.includes(`"dataClass":"${name}"`))

  test.each<readonly [string, string, (lines: string[]) => unknown]>([
    [
      'it is not a dump',
      'another format',
      (lines) => (lines[0] = lines[0].replace(/"format":"[^"]*"/, '"format":"x"')),
    ],
    [
      'its version is',
      'another version',
      (lines) => (lines[0] = lines[0].replace(/"version":\d+/, '"version":0')),
    ],
    [
      'its global stamp',
      'a global stamp below 0',
      (lines) => (lines[0] = lines[0].replace(/"globalStamp":\d+/, '"globalStamp":-1')),
    ],
    [
      'the name of its store',
      'no name',
      (lines) => (lines[0] = lines[0].replace('"store":"firms"', '"store":1')),
    ],
    [
      'dataclass "Firm" is missing',
      'a dataclass less',
      (lines) => lines.splice(at(lines, 'Firm'), 3),
    ],
    [
      'entity 1 of "Firm" is malformed',
      'an entity that is no list',
      (lines) => (lines[at(lines, 'Firm') + 1] = '{}'),
    ],
    [
      'entity 2 of "Firm" is malformed',
      'an entity too short',
      (lines) => (lines[at(lines, 'Firm') + 2] = '[1,1,1]'),
    ],
    [
      'a record number of "Firm"',
      'a record number below 0',
      (lines) =>
        (lines[at(lines, 'Firm') + 1] = lines[at(lines, 'Firm') + 1].replace('[0,', '[-1,')),
    ],
    [
      'the record numbers of "Firm" are too high',
      'a record number of the stars',
      (lines) =>
        (lines[at(lines, 'Firm') + 2] = lines[at(lines, 'Firm') + 2].replace(
          '[1,',
          '[1073741825,',
        )),
    ],
    [
      '"Person.firm" leads nowhere',
      'a relation to a missing entity',
      (lines) =>
        (lines[at(lines, 'Person') + 1] = lines[at(lines, 'Person') + 1].replace(/1\]$/, '9]')),
    ],
    ['a line is not JSON', 'a line cut short', (lines) => (lines[at(lines, 'Firm') + 1] = '[0,')],
    ['its end is missing', 'nothing after the heading', (lines) => lines.splice(1)],
    ['a heading is missing', 'a list for a heading', (lines) => (lines[at(lines, 'Firm')] = '[]')],
  ])('%s: %s', (words, _, change) => {
    const lines = linesOfDump(store.dump())
    change(lines)
    const { code, message } = refusalOf(() => openDump(sealedDump(lines), { dataClasses }))
    expect(code).toBe('dumpInvalid')
    expect(message).toContain(words)
  })

  test('a dump that is cut off in its first line has no end', () => {
    const bytes = open().dump().subarray(0, 30)
    expect(refusalOf(() => openDump(bytes, { dataClasses })).message).toContain(
      'its end is missing',
    )
  })

  test('a store with an empty dataclass can be dumped and opened', () => {
    const empty = open()
    expect(openDump(empty.dump(), { dataClasses }).dump()).toEqual(empty.dump())
  })
})
