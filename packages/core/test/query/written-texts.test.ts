import { describe, expect, test } from 'vitest'
import {
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

const Box = defineDataClass('Box', {
  code: attribute.string({ key: true }),
  colour: attribute.string(),
  things: attribute.relatedEntities('Thing', 'box'),
})
const Thing = defineDataClass('Thing', {
  ID: attribute.long({ key: true }),
  word: attribute.string(),
  text: attribute.string({ unique: true }),
  id: attribute.uuid(),
  real: attribute.number(),
  whole: attribute.long(),
  large: attribute.long64(),
  time: attribute.duration(),
  flag: attribute.bool(),
  day: attribute.date({ dateOnly: true }),
  at: attribute.date(),
  notes: attribute.object(),
  photo: attribute.image(),
  box: attribute.relatedEntity('Box'),
  inside: attribute.relatedEntity('Thing'),
  parts: attribute.relatedEntities('Thing', 'inside'),
  colour: attribute.alias('box.colour'),
  size: attribute.computed('number', {
    get: ({ real }: { readonly real: number | null }) => (real === null ? null : real * 2),
  }),
})
const STORED = [
  'ID',
  'word',
  'text',
  'id',
  'real',
  'whole',
  'large',
  'time',
  'flag',
  'day',
  'at',
  'notes',
  'photo',
]
const TEXTS = [
  'plain',
  '',
  'a "quoted" \\ one',
  'line\nbreak',
  '\u2028',
  '😀',
  '\uffff',
  'é',
  'tab\t',
  '\u007f',
  '\u0000',
]

const ROWS = [
  ...TEXTS.map((text, at) => ({
    ID: at + 1,
    word: TEXTS[at % 5],
    text: `${text}${at === 1 ? '' : at}`,
    id: `${at}`.padStart(32, 'A'),
    real: [0.5, -0.25, 1e300, 0, 1e21, 1e-7][at % 6],
    whole: [0, -1, 2 ** 31 - 1, -(2 ** 31), 7][at % 5],
    large: [2 ** 53 - 1, -(2 ** 53) + 1, 0][at % 3],
    time: at * 1000,
    flag: at % 2 === 0,
    day: ['1970-01-01', '1969-12-31', '0001-01-01', '2024-02-29'][at % 4],
    at: ['1970-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z', '2024-02-29T12:30:00.001Z'][
      at % 3
    ],
    notes: [{ a: { b: at, c: null }, list: [1, 'x'] }, [], { a: 'flat' }, {}][at % 4],
    photo: createMedia('image/png', Uint8Array.of(1, 2, at)),
    box: ['B"1', 'b2'][at % 2],
    inside: at === 0 ? null : 1 + (at % 3),
  })),
  ...[21, 22].map((ID) => ({ ID })),
]

function storeOf() {
  let ticks = 0
  const store = createDataStore({
    name: 'texts',
    dataClasses: [Box, Thing],
    clock: { now: () => 1_700_000_000_000 + 61_001 * ++ticks, monotonic: () => ++ticks },
  })
  store.Box.load([
    { code: 'B"1', colour: 'r"d' },
    { code: 'b2' },
    { code: 'empty', colour: 'blue' },
  ])
  store.transact(() => {
    for (const row of ROWS) store.Thing.insert(row as never)
  })
  store.Thing.update(3, { word: 'three' })
  store.Thing.remove(5)
  return store
}
type Store = ReturnType<typeof storeOf>
type AnyThing = ReturnType<Store['Thing']['get']> & { readonly [name: string]: unknown }

/** The values that paths name, as a plain object. */
const LISTS: readonly (readonly [paths: string, of: (thing: AnyThing) => object])[] = [
  ['ID', ({ ID }) => ({ ID })],
  ['word, text,id', ({ word, text, id }) => ({ word, text, id })],
  ['real, whole , large, time', ({ real, whole, large, time }) => ({ real, whole, large, time })],
  ['flag, day, at', ({ flag, day, at }) => ({ flag, day, at })],
  [
    'text, key, stamp, timestamp',
    (thing) => ({
      text: thing.text,
      key: keyOf(thing),
      stamp: stampOf(thing),
      timestamp: timestampOf(thing),
    }),
  ],
  ['timestamp', (thing) => ({ timestamp: timestampOf(thing) })],
  ['notes', ({ notes }) => ({ notes })],
  ['colour, size', ({ colour, size }) => ({ colour, size })],
  ['box.colour, box.code', ({ box }) => ({ box: box && { colour: box.colour, code: box.code } })],
  [
    'box.colour, ID, box.code',
    ({ box, ID }) => ({ box: box && { colour: box.colour, code: box.code }, ID }),
  ],
  [
    'inside.box.colour, inside.word',
    ({ inside }) => ({
      inside: inside && { box: inside.box && { colour: inside.box.colour }, word: inside.word },
    }),
  ],
  [
    'parts.ID, parts.real',
    ({ parts }) => ({ parts: parts.toArray().map(({ ID, real }) => ({ ID, real })) }),
  ],
  [
    'parts.inside.parts.whole',
    ({ parts }) => ({
      parts: parts.toArray().map(({ inside }) => ({
        inside: inside && { parts: inside.parts.toArray().map(({ whole }) => ({ whole })) },
      })),
    }),
  ],
  [
    'inside.key, inside.stamp',
    ({ inside }) => ({ inside: inside && { key: inside.key, stamp: inside.stamp } }),
  ],
  ['box.*', ({ box }) => ({ box: box && { code: box.code, colour: box.colour } })],
]
const shown = (value: unknown): string => `<${JSON.stringify(value) ?? 'nothing'}>`

describe('json and select give the values of entities', () => {
  test.each(LISTS)('of %s, on every call, also after changes', (paths, of) => {
    const store = storeOf()
    const things = [
      store.Thing.all(),
      store.Thing.from([9, 3, 21, 1]),
      store.Thing.query('ID > 4').orderBy('real'),
    ]
    const check = (): void => {
      for (const selection of things) {
        const expected = (selection.toArray() as unknown as AnyThing[]).map(of)
        expect(selection.select(paths), paths).toEqual(expected)
        for (let time = 0; time < 3; time++)
          expect(selection.json(paths)).toBe(JSON.stringify(expected))
      }
    }
    check()
    store.Box.update('B"1', { colour: 'changed' })
    store.Thing.update(2, { real: 77, word: 'two', whole: 5 })
    check()
    store.Thing.update(9, {
      word: 'nine',
      box: 'empty',
      real: null,
      day: null,
      notes: { a: { b: 'new' } },
    })
    store.Thing.remove(21)
    store.Thing.insert({ ID: 30, word: 'thirty', text: 'thirty' })
    check()
  })

  test('of every value: stored, computed and aliased, with any blanks around the star', () => {
    const store = storeOf()
    const names = [...STORED, 'colour', 'size']
    const of = (thing: AnyThing) => Object.fromEntries(names.map((name) => [name, thing[name]]))
    const expected = (store.Thing.all().toArray() as unknown as AnyThing[]).map(of)
    for (const paths of ['*', '', '  ', ' * ']) {
      expect(store.Thing.all().select(paths as string), paths).toEqual(expected)
      const parsed = JSON.parse(store.Thing.all().json(paths as string))
      expect(parsed).toEqual(JSON.parse(JSON.stringify(expected)))
      expect(parsed.map(Object.keys)).toEqual(expected.map(() => names))
    }
    expect(store.Thing.all().json()).toBe(store.Thing.all().json('*'))
    expect(JSON.parse(store.Thing.from([1]).json('photo'))).toEqual([
      { photo: { mediaType: 'image/png', size: 3 } },
    ])
    expect(store.Thing.empty().json()).toBe('[]')
    expect(store.Thing.empty().select('ID')).toEqual([])
  })

  test('of objects, only the named properties, nested, and null for missing ones', () => {
    const store = storeOf()
    const of = (paths: string) => {
      const objects = store.Thing.all().select(paths)
      const text = JSON.stringify(objects)
      for (let time = 0; time < 3; time++) expect(store.Thing.all().json(paths)).toBe(text)
      return [0, 2, 11].map((at) => objects[at])
    }
    expect(of('notes.a.b, notes.list')).toEqual([
      { notes: { a: { b: 0 }, list: [1, 'x'] } },
      { notes: { a: { b: null }, list: null } },
      { notes: null },
    ])
    expect(of('notes.a.b, notes.a.c, notes.a.d.e')).toEqual([
      { notes: { a: { b: 0, c: null, d: { e: null } } } },
      { notes: { a: { b: null, c: null, d: { e: null } } } },
      { notes: null },
    ])
    // The whole object includes its properties, whichever is named first.
    expect(of('notes.a, notes')).toEqual(of('notes'))
    expect(of('notes, notes.a')).toEqual(of('notes'))
    store.Thing.update(1, { notes: { a: { b: 'later' } } })
    expect(of('notes.a.b')[0]).toEqual({ notes: { a: { b: 'later' } } })
  })

  test('an attribute named key, stamp or timestamp hides the mark of that name', () => {
    const Own = defineDataClass('Own', {
      code: attribute.string({ key: true }),
      key: attribute.long(),
      stamp: attribute.string(),
      timestamp: attribute.bool(),
    })
    const store = createDataStore({ name: 'own', dataClasses: [Own] })
    store.Own.insert({ code: 'a', key: 7, stamp: 's', timestamp: null })
    const expected = [{ key: 7, stamp: 's', timestamp: null, code: 'a' }]
    expect(store.Own.all().select('key, stamp, timestamp, code')).toEqual(expected)
    expect(store.Own.all().json('key, stamp, timestamp, code')).toBe(JSON.stringify(expected))
    expect(store.Own.all().keys()).toEqual(['a'])
  })
})

const pieces: readonly TextPiece[] = [
  ...STORED.flatMap((name): TextPiece[] => [
    { kind: 'value', head: `${name}:`, attribute: name },
    { kind: 'value', head: ' ', attribute: name, write: shown },
    {
      kind: 'marked',
      head: ' ',
      attribute: name,
      write: (value, { key, stamp, timestamp }) => shown([value, key, stamp, timestamp]),
    },
  ]),
  { kind: 'relatedKey', head: ' box:', relation: 'box', write: shown },
  { kind: 'relatedKey', head: ' in:', relation: 'inside', write: shown },
  { kind: 'marked', head: ' ', attribute: null, write: shown },
]
const FORM: TextForm = { pieces, end: ';' }

function formText(thing: AnyThing): string {
  const marks = [keyOf(thing), stampOf(thing), timestampOf(thing)]
  const values = STORED.map((name) => {
    const value = thing[name]
    return `${name}:${JSON.stringify(value)} ${shown(value)} ${shown([value, ...marks])}`
  })
  return `${values.join('')} box:${shown(foreignKeyOf(thing, 'box'))} in:${shown(foreignKeyOf(thing, 'inside'))} ${shown(null)};`
}

describe('a text form', () => {
  test('writes the values of entities, each in its place, and undefined for a removed one', () => {
    const store = storeOf()
    const selections = [
      store.Thing.all(),
      store.Thing.from([9, 3, 21, 1]),
      store.Thing.all().page(2, 5),
      store.Thing.empty(),
    ]
    const check = (): void => {
      for (const selection of selections) {
        const expected = selection
          .members()
          .map((thing) => thing && formText(thing as unknown as AnyThing))
        for (let time = 0; time < 3; time++) expect(selection.texts(FORM)).toEqual(expected)
      }
      for (const key of [1, 3, 9, 21, 77]) {
        const thing = store.Thing.get(key) as unknown as AnyThing | undefined
        const expected = thing && {
          text: formText(thing),
          stamp: stampOf(thing),
          timestamp: timestampOf(thing),
        }
        const written = store.Thing.text(key, FORM)
        expect(written && { ...written, life: undefined }).toEqual(expected)
      }
    }
    check()
    store.Thing.update(1, { word: 'one', real: -1, flag: null, day: '2000-01-01', box: null })
    store.Thing.remove(3)
    check()
    store.Thing.insert({ ID: 31, word: 'in the place of another' })
    store.Thing.remove(21)
    check()
  })

  test('gives the same text for many records at once as for each', () => {
    const store = createDataStore({ name: 'many', dataClasses: [Box, Thing] })
    store.Thing.load(
      Array.from({ length: 1030 }, (_, ID) => ({ ID, whole: ID % 7, day: '2001-02-03' })),
    )
    const form: TextForm = {
      pieces: [
        { kind: 'value', head: 'n', attribute: 'whole' },
        { kind: 'value', head: ' ', attribute: 'day' },
      ],
      end: '.',
    }
    const expected = Array.from({ length: 1030 }, (_, ID) => `n${ID % 7} "2001-02-03".`)
    for (const count of [1023, 1024, 1025, 1030])
      for (let time = 0; time < 3; time++)
        expect(store.Thing.all().page(0, count).texts(form).join()).toBe(
          expected.slice(0, count).join(),
        )
    store.Thing.update(4, { whole: 100 })
    expect(store.Thing.all().page(4, 1).texts(form)).toEqual(['n100 "2001-02-03".'])
    expect(store.Thing.all().texts(form)[4]).toBe('n100 "2001-02-03".')
  })

  test('a hidden entity appears in neither texts nor objects', () => {
    const store = storeOf()
    const view = store.view({ rows: { Box: "code = 'b2'", Thing: 'ID != 2' } })
    const things = view.dataClass('Thing').from([1, 2, 3, 4, 6]) as unknown as ReturnType<
      Store['Thing']['all']
    >
    const form: TextForm = {
      pieces: [
        { kind: 'relatedKey', head: '', relation: 'box', write: String },
        { kind: 'relatedKey', head: ' ', relation: 'inside', write: String },
      ],
      end: '',
    }
    for (let time = 0; time < 3; time++) {
      expect(things.texts(form)).toEqual(['null null', 'null 3', 'b2 1', 'b2 3'])
      expect(things.select('ID, box.code, inside.ID')).toEqual([
        { ID: 1, box: null, inside: null },
        { ID: 3, box: null, inside: { ID: 3 } },
        { ID: 4, box: { code: 'b2' }, inside: { ID: 1 } },
        { ID: 6, box: { code: 'b2' }, inside: { ID: 3 } },
      ])
      expect(things.json('ID, box.code, inside.ID')).toBe(
        JSON.stringify(things.select('ID, box.code, inside.ID')),
      )
      expect(things.json('parts.ID')).toBe(
        JSON.stringify(
          [{ parts: [4, 7, 10] }, { parts: [3, 6, 9] }, { parts: [] }, { parts: [] }].map(
            ({ parts }) => ({
              parts: parts.map((ID) => ({ ID })),
            }),
          ),
        ),
      )
    }
    expect(store.Thing.from([1, 3]).texts(form)).toEqual(['B"1 null', 'B"1 3'])
    store.Thing.update(1, { box: 'b2', word: 'seen' })
    expect([things.texts(form)[0], things.json('word, box.code')]).toEqual([
      'b2 null',
      JSON.stringify(things.select('word, box.code')),
    ])
  })
})
