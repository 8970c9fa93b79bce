/** A store whose keys and names are as hostile to addresses as possible. */
import { attribute, createDataStore, defineDataClass } from '@entia/core'

/** Each is a key on its own, and in pairs with some of the others. */
const PARTS = [
  ...[
    '/',
    '//',
    '\\',
    '%',
    '%2F',
    '%252F',
    '%5C',
    '%00',
    '%',
    '..',
    '.',
    '/../',
    '/./',
    './',
    '...',
    '/.',
    '\\..\\',
  ],
  ...[
    ';',
    ';a=b',
    '?',
    '?a=b',
    '#',
    '#top',
    '&',
    '&$top=1',
    '=',
    '+',
    ',',
    ':',
    '@',
    '!',
    '*',
    '~',
    '~a~2Fb',
    '$',
  ],
  ...[
    '(',
    ')',
    '[',
    ']',
    '()',
    '[]',
    '")',
    '"]',
    '["',
    "')",
    '"',
    "'",
    '""',
    '`',
    '<b>',
    '{}',
    '|',
    '^',
    '\\u002F',
  ],
  ...[
    '\0',
    '\n',
    '\r\n',
    '\t',
    '\u001f',
    '\u007f',
    '\u0085',
    '\u2028',
    '\ufeff',
    ' ',
    '  ',
    ' a',
    'a ',
    'a.',
    '\u00a0',
  ],
  ...[
    'é',
    'e\u0301',
    'ß',
    '中文',
    '😀',
    '👩‍🚀',
    '\u{10ffff}',
    'שלום',
    '\u202eabc',
    '\uffff',
    'a',
    '7',
    '-',
    '_',
    '-7',
    '007',
    '1e21',
  ],
  ...[
    'null',
    'undefined',
    '__proto__',
    'constructor',
    '$all',
    '$entityset',
    'CON',
    'favicon.ico',
    'a+b c',
    'http://x/y',
  ],
]
const MIXED = ['/', '..', '%2F', '"', ']', ')', '?', '&$', ' ', 'é', '\\', '\0']

export const HOSTILE_TEXTS = [
  ...new Set([
    ...PARTS,
    ...MIXED.flatMap((first) =>
      MIXED.flatMap((second) => [`${first}${second}`, `a${first}b${second}c`]),
    ),
    // The longest address that nginx accepts by default: 8 KiB per line.
    'k'.repeat(2000),
    '/'.repeat(2000),
    '中'.repeat(800),
  ]),
]

const HOSTILE_NUMBERS = [
  0, -7, 0.1, -2.5, 1e21, 5e-324, 1.7976931348623157e308, 9007199254740991, -1e-7,
]

const Größe = defineDataClass('Größe', {
  Schlüssel: attribute.string({ key: true }),
  größer: attribute.relatedEntity('Größe'),
  kleinere: attribute.relatedEntities('Größe', 'größer'),
  設定: attribute.relatedEntity('Zahl_数', { foreignKey: 'Nummer' }),
  Nummer: attribute.number(),
  Bild: attribute.image(),
  Анкета: attribute.blob(),
})
const Zahl = defineDataClass('Zahl_数', {
  n: attribute.number({ key: true }),
  מידות: attribute.relatedEntities('Größe', '設定'),
})
const Id = defineDataClass('Id', { id: attribute.uuid({ key: true }), Café: attribute.blob() })

/** The first bytes of a PNG; the image does not matter. */
const PNG = Uint8Array.from([
  137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 1, 0, 0, 0, 1,
])

export function createHostileStore() {
  const store = createDataStore({ name: 'hostile', dataClasses: [Größe, Zahl, Id] })
  store.Zahl_数.load(HOSTILE_NUMBERS.map((n) => ({ n })))
  store.Größe.load(
    HOSTILE_TEXTS.map((key, i) => ({
      Schlüssel: key,
      größer: HOSTILE_TEXTS[(i + 1) % HOSTILE_TEXTS.length],
      Nummer: HOSTILE_NUMBERS[i % HOSTILE_NUMBERS.length],
      Bild: i % 3 === 0 ? { mediaType: 'image/png', bytes: PNG } : null,
      Анкета: i % 3 === 1 ? new TextEncoder().encode(key) : null,
    })),
  )
  store.Id.load([{ Café: new Uint8Array([0, 255]) }, {}])
  return store
}
