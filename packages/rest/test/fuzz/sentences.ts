import type { Chance } from './chance.ts'

/** Generators of the languages that clients write; some sentences are invalid. */

const STEPS = [
  'ID',
  'firstName',
  'lastName',
  'age',
  'salary',
  'active',
  'hired',
  'seen',
  'shift',
  'badge',
  'notes',
  'employer',
]
const LATER = [
  'name',
  'city',
  'staff',
  'team',
  'boss',
  'country',
  'code',
  'tags',
  'level',
  'length',
  'fullName',
  'nosuch',
  'photo',
]
const SIGNS = [
  ...[
    '=',
    '==',
    '===',
    '!=',
    '!==',
    '#',
    '##',
    '>',
    '>=',
    '<',
    '<=',
    '%',
    '%%',
    ' eq ',
    ' gt ',
    ' lteq ',
    ' like ',
  ],
  ...[' begin ', ' is ', ' is not ', ' = not ', ' isnot ', ' nene ', ' in ', ' not in '],
]
const VALUES = [
  ...[
    '1',
    '-2.5',
    '0',
    '1e3',
    'null',
    'true',
    'abc',
    'a@',
    '*',
    "'x y'",
    '"it\'s"',
    "'\\u0027'",
    ':1',
    ':2',
    ':name',
    ':a.b',
  ],
  ...[
    '!!2024-01-31!!',
    '31!1!2024',
    '2024-01-31T10:00:00Z',
    '01:30:00',
    '00112233445566778899aabbccddeeff',
    "''",
    ':$currentdate',
  ],
]
const JOINTS = [' and ', ' AND ', '&', '&&', ' or ', '|', '||', ' except ', '^']

function path(chance: Chance): string {
  const mark = () => (chance.holds(0.08) ? chance.oneOf(['{2}', '{13}', '[]', '[a]', '[z]']) : '')
  const steps = [
    chance.oneOf(STEPS),
    ...(chance.holds(0.4) ? chance.several(1, 3, () => chance.oneOf(LATER)) : []),
  ]
  return steps.map((step) => step + mark()).join('.')
}

const TEXT_SIGNS = [
  '=',
  '==',
  '===',
  '!=',
  '#',
  '>',
  '<=',
  '%',
  '%%',
  ' begin ',
  ' is ',
  ' is not ',
  ' eq ',
  ' like ',
]
const ORDER_SIGNS = ['=', '!=', '>', '>=', '<', '<=', ' gt ', ' lteq ', ' is not ']

/** Attributes with the operators and values that fit them. */
const SUBJECTS: readonly (readonly [
  paths: readonly string[],
  signs: readonly string[],
  values: readonly string[],
])[] = [
  [
    [
      'firstName',
      'lastName',
      'employer.name',
      'employer.staff.lastName',
      'boss{2}.email',
      'fullName',
      'employerName',
      'notes.tags[a].kind',
    ],
    TEXT_SIGNS,
    ['abc', "'x y'", '"it\'s"', "'\\u0027'", 'a@', '*', ':1', ':name', "''", 'null', 'Zoë', '1'],
  ],
  [
    ['ID', 'age', 'salary', 'team{2}.age', 'notes.list.length', 'notes.level'],
    ORDER_SIGNS,
    ['1', '-2.5', '0', '1e3', ':2', '1e16'],
  ],
  [
    ['hired', 'seen'],
    ORDER_SIGNS,
    ['!!2024-01-31!!', '31!1!2024', '2024-01-31', '2024-01-31T10:00:00Z', 'null'],
  ],
  [['active'], ['=', '!=', ' is '], ['true', 'false', 'null']],
  [['employer', 'boss', 'photo', 'country.code'], ['=', '!=', ' is not '], ['null']],
  [['shift'], ORDER_SIGNS, ['01:30:00', '60000']],
  [['ID', 'lastName', 'notes.level'], [' in '], ["[1, '2', 3]", '[]', '[ :2 ]', '["7"]']],
]

function comparison(chance: Chance): string {
  if (chance.holds(0.06)) return path(chance) + chance.oneOf(SIGNS) + value(chance)
  const [paths, signs, values] = chance.oneOf(SUBJECTS)
  return chance.oneOf(paths) + chance.oneOf(signs) + chance.oneOf(values)
}

const value = (chance: Chance): string =>
  chance.holds(0.1)
    ? `[${chance.several(0, 4, () => chance.oneOf(VALUES)).join(', ')}]`
    : chance.oneOf(VALUES)

function condition(chance: Chance, depth: number): string {
  if (depth > 0 && chance.holds(0.4)) {
    const parts = chance.several(2, 3, () => condition(chance, depth - 1))
    return `(${parts.join(chance.oneOf(JOINTS))})`
  }
  if (depth > 0 && chance.holds(0.1))
    return `${chance.oneOf(['not ', '!', 'NOT '])}${condition(chance, depth - 1)}`
  return chance.holds(0.05) ? 'active' : comparison(chance)
}

export const orderSentence = (chance: Chance): string =>
  chance
    .several(1, 4, () => path(chance) + chance.oneOf(['', ' asc', ' desc', ' DESC']))
    .join(chance.oneOf([',', ', ']))

export function filterSentence(chance: Chance): string {
  const parts = chance.several(1, 2, () => condition(chance, chance.below(4)))
  const order = chance.holds(0.15) ? ` order by ${orderSentence(chance)}` : ''
  return parts.join(chance.oneOf(JOINTS)) + order
}

export const attributesSentence = (chance: Chance): string =>
  chance
    .several(1, 6, () => (chance.holds(0.2) ? `${path(chance)}.*` : path(chance)))
    .join(chance.oneOf([',', ', ']))

/** Generates JSON, mostly of entities. */
export function jsonSentence(chance: Chance, depth = 3): string {
  const scalar = () =>
    chance.oneOf([
      '1',
      '-0.5',
      'null',
      'true',
      '"x"',
      '"1"',
      '"2024-01-31"',
      '"\\ud83d\\ude00"',
      '1e308',
    ])
  if (depth === 0 || chance.holds(0.3)) return scalar()
  if (chance.holds(0.4))
    return `[${chance.several(0, 4, () => jsonSentence(chance, depth - 1)).join(',')}]`
  const names = [
    '__KEY',
    '__STAMP',
    'lastName',
    'salary',
    'notes',
    'employer',
    '__ENTITIES',
    'ID',
    '__DATACLASS',
    'uri',
  ]
  return `{${chance.several(0, 4, () => `"${chance.oneOf(names)}":${jsonSentence(chance, depth - 1)}`).join(',')}}`
}

const KEYS = [
  '1',
  '2',
  '99',
  'abc',
  '"a/b"',
  "'x'",
  '',
  '%221%22',
  "'it%27s'",
  '-1',
  '1e3',
  '9007199254740993',
  '%F0%9F%98%80',
]

export function addressSentence(chance: Chance): string {
  const name = chance.oneOf([
    'Employee',
    'Company',
    'Setting',
    'Secret',
    'NoSuch',
    '$catalog',
    '$info',
    '$directory',
    '$upload',
    '$entityset',
    'VehicleFactory',
  ])
  const key = chance.oneOf(KEYS)
  const selector = chance.oneOf([
    '',
    '',
    `(${key})`,
    `[${key}]`,
    `:lastName(${key})`,
    `:name(${key})`,
    `(${key})(1)`,
  ])
  const parts = chance.several(0, 3, () =>
    chance.oneOf([
      'lastName',
      'employer',
      'employees',
      'notes,salary',
      '$all',
      '$entityset',
      '8F0E',
      'login',
      '$release',
      'greet',
      '*',
      'a%2Cb',
    ]),
  )
  return ['', 'rest', `${name}${selector}`, ...parts].join('/')
}

const quote = (chance: Chance, text: string): string =>
  chance.oneOf([text, `"${text}"`, `'${text}'`, `%22${text}%22`])

/** Generates one parameter with its value, encoded or not. */
export function parameterSentence(chance: Chance): string {
  const encode = chance.holds(0.6) ? encodeURIComponent : (text: string) => text
  const wellFormed = (text: string) => (text.isWellFormed() ? encode(text) : text)
  switch (chance.below(9)) {
    case 0:
      return `$filter=${wellFormed(quote(chance, filterSentence(chance)))}`
    case 1:
      return `$params=${wellFormed(quote(chance, jsonSentence(chance)))}`
    case 2:
      return `$orderby=${wellFormed(quote(chance, orderSentence(chance)))}`
    case 3:
      return `${chance.oneOf(['$attributes', '$expand'])}=${wellFormed(attributesSentence(chance))}`
    case 4:
      return `${chance.oneOf(['$top', '$limit', '$skip', '$timeout', '$version'])}=${chance.oneOf(['0', '1', '-1', '2.5', '1e3', '', 'x'])}`
    case 5:
      return `${chance.oneOf(['$asArray', '$atomic', '$atOnce', '$refresh', '$distinct', '$queryplan', '$querypath', '$clean', '$lock', '$binary'])}=${chance.oneOf(['true', 'false', '1', '0', '', 'x'])}`
    case 6:
      return `$method=${chance.oneOf(['update', 'delete', 'insert', 'entityset', 'subentityset', 'release', 'x', ''])}`
    case 7:
      return `${chance.oneOf(['$compute', '$format', '$logicOperator', '$otherCollection', '$imageformat', '$rawPict', '$emMethod'])}=${chance.oneOf(['sum', '$all', 'json', 'dashboard', 'AND', 'INTERSECT', '8F0E', 'image/png', 'x'])}`
    default:
      return chance.oneOf([
        'x=1',
        'a',
        '',
        '=',
        'x=%',
        '$savedfilter="ID=1"',
        '$savedorderby=ID',
        '$subOrderby=ID',
        'top=5',
      ])
  }
}

export const querySentence = (chance: Chance): string =>
  chance.several(0, 5, () => parameterSentence(chance)).join('&')

/** Generates a form-encoded body. */
export const formSentence = (chance: Chance): string => {
  const json = jsonSentence(chance)
  return chance.oneOf([
    json,
    encodeURI(json),
    encodeURIComponent(json),
    `a=${json}`,
    `${json}=`,
    json.replaceAll(' ', '+'),
  ])
}

/** Generates text in the form of attribute and filter values. */
export const valueSentence = (chance: Chance): string => chance.oneOf(VALUES)
