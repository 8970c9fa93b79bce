import { describe, expect, test } from 'vitest'
import { isEntiaError } from '../../src/errors.ts'
import { buildCatalog, type CatalogOptions } from '../../src/model/build-catalog.ts'
import { build, define, key, make } from './loose-definitions.ts'

describe('a wrong model is refused by class, attribute and remedy', () => {
  const one = (attributes: object, options?: object) => () =>
    build(define('A', { ID: key, ...attributes }, options))
  const named = (name: string) => () => define('A', { ID: key, [name]: make.string() })
  const other = define('Other', { ID: key, a: make.relatedEntity('A'), text: make.string() })
  const two = (attributes: object) => () => build(define('A', { ID: key, ...attributes }), other)
  const run = () => 1

  test.each<
    readonly [claim: string, attribute: string | null, problem: RegExp, wrong: () => unknown]
  >([
    ['no key', null, /no key/, () => define('A', { name: make.string() })],
    ['two keys', 'b', /"ID" is already the key/, one({ b: make.long({ key: true }) })],
    ...['bool', 'date', 'duration', 'object', 'image', 'blob'].map(
      (type) =>
        [
          `a key of type ${type}`,
          'k',
          /does not apply/,
          () => define('A', { k: make[type]({ key: true }) }),
        ] as const,
    ),
    ['a name of the protocol', '__x', /are reserved for the REST interface/, named('__x')],
    ['a name with $', '$x', /are reserved for the REST interface/, named('$x')],
    ...Array.from(
      '.,()[]{} \t\n',
      (c) =>
        [
          `a name with ${JSON.stringify(c)}`,
          `a${c}b`,
          /the name contains/,
          named(`a${c}b`),
        ] as const,
    ),
    ['an empty name', '', /is empty/, named('')],
    ['__proto__', '__proto__', /prototype/, named('__proto__')],
    ['constructor', 'constructor', /prototype/, named('constructor')],
    ['prototype', 'prototype', /prototype/, named('prototype')],
    [
      'the name of a class function',
      'f',
      /same name/,
      one({ f: make.string() }, { functions: { f: { on: 'entity', run } } }),
    ],
    ['no definition', 'x', /not made by a builder/, one({ x: { type: 'string' } })],
    ['nothing as definition', 'x', /not made by a builder/, one({ x: null })],
    [
      'an unknown option',
      'x',
      /"uniqe" is not an option/,
      one({ x: make.string({ uniqe: true }) }),
    ],
    [
      'a flag that is no boolean',
      'x',
      /"indexed" is not a boolean/,
      one({ x: make.string({ indexed: 'yes' }) }),
    ],
    [
      'a sequence of text',
      'x',
      /autoSequence.*does not apply/,
      one({ x: make.string({ autoSequence: true }) }),
    ],
    ['a minimum of text', 'x', /"min" does not apply/, one({ x: make.string({ min: 1 }) })],
    ['a maximum of a date', 'x', /"max" does not apply/, one({ x: make.date({ max: 1 }) })],
    [
      'a minimum length of a number',
      'x',
      /"minLength" does not apply/,
      one({ x: make.long({ minLength: 1 }) }),
    ],
    [
      'a pattern of a number',
      'x',
      /"pattern" does not apply/,
      one({ x: make.long({ pattern: /x/ }) }),
    ],
    [
      'a collation of a number',
      'x',
      /"collation" does not apply/,
      one({ x: make.long({ collation: 'exact' }) }),
    ],
    [
      'dateOnly text',
      'x',
      /"dateOnly" does not apply/,
      one({ x: make.string({ dateOnly: true }) }),
    ],
    [
      'min above max',
      'x',
      /"min" 2 is greater than "max" 1/,
      one({ x: make.number({ min: 2, max: 1 }) }),
    ],
    [
      'minLength above maxLength',
      'x',
      /greater/,
      one({ x: make.string({ minLength: 2, maxLength: 1 }) }),
    ],
    [
      'a minimum that is no number',
      'x',
      /"min" is not a finite/,
      one({ x: make.number({ min: '1' }) }),
    ],
    [
      'a length below 0',
      'x',
      /"maxLength" is not a whole/,
      one({ x: make.string({ maxLength: -1 }) }),
    ],
    ['a pattern as text', 'x', /not a RegExp/, one({ x: make.string({ pattern: '^a' }) })],
    ['a pattern that remembers', 'x', /"g" or "y"/, one({ x: make.string({ pattern: /a/g }) })],
    ['a sticky pattern', 'x', /"g" or "y"/, one({ x: make.string({ pattern: /a/y }) })],
    [
      'an unknown collation',
      'x',
      /collation is unknown/,
      one({ x: make.string({ collation: 'fr' }) }),
    ],
    ...['object', 'image', 'blob'].flatMap((type) =>
      ['indexed', 'unique'].map(
        (option) =>
          [
            `${option} ${type}`,
            'x',
            /cannot be/,
            one({ x: make[type]({ [option]: true }) }),
          ] as const,
      ),
    ),
    [
      'a default of another type',
      'x',
      /its default must be/,
      one({ x: make.long({ default: 'a' }) }),
    ],
    [
      'a default that is null',
      'x',
      /default is null/,
      one({ x: make.long({ default: null, notNull: true }) }),
    ],
    [
      'a default out of bounds',
      'x',
      /does not satisfy "max"/,
      one({ x: make.long({ default: 3, max: 2 }) }),
    ],
    [
      'a default below the minimum',
      'x',
      /does not satisfy "min"/,
      one({ x: make.number({ default: 1, min: 2 }) }),
    ],
    [
      'a default that is too short',
      'x',
      /"minLength"/,
      one({ x: make.string({ default: '', minLength: 1 }) }),
    ],
    [
      'a default that is too long',
      'x',
      /"maxLength"/,
      one({ x: make.string({ default: 'ab', maxLength: 1 }) }),
    ],
    [
      'a default of another form',
      'x',
      /"pattern"/,
      one({ x: make.string({ default: 'b', pattern: /^a/ }) }),
    ],
    [
      'a value of no type',
      'x',
      /type is unknown/,
      one({ x: { kind: 'storage', type: 'text', options: {} } }),
    ],
    [
      'a computed day of text',
      'x',
      /"dateOnly"/,
      one({ x: make.computed('string', { get: run, dateOnly: true }) }),
    ],
    [
      'a collection without name',
      null,
      /collectionName is not a name/,
      one({}, { collectionName: '' }),
    ],
    [
      'a label that is no attribute',
      null,
      /its label is the text "y", which is not an attribute/,
      one({}, { label: 'y' }),
    ],
    [
      'a label of many values',
      null,
      /its label is the text "x", which is not an attribute with a single value/,
      one({ x: make.object() }, { label: 'x' }),
    ],
    [
      'a function that is none',
      null,
      /not described by an object/,
      one({}, { functions: { f: 1 } }),
    ],
    [
      'an alias across too many relations',
      'x',
      /crosses more than/,
      one({ a: make.relatedEntity('A'), n: make.long(), x: make.alias(`${'a.'.repeat(40)}n`) }),
    ],
    ['a computed without getter', 'x', /needs a getter/, one({ x: make.computed('string', {}) })],
    [
      'a computed of no type',
      'x',
      /type is unknown/,
      one({ x: make.computed('text', { get: run }) }),
    ],
    [
      'a setter that is no function',
      'x',
      /setter/,
      one({ x: make.computed('string', { get: run, set: 1 }) }),
    ],
    ['an alias without path', 'x', /needs a path/, one({ x: make.alias('') })],
    ['an alias to nowhere', 'x', /names "nope"/, one({ x: make.alias('nope') })],
    [
      'an alias to nowhere behind a relation',
      'x',
      /names "nope", which "A"/,
      one({ a: make.relatedEntity('A'), x: make.alias('a.nope') }),
    ],
    ['an alias through a prototype', 'x', /names "toString"/, one({ x: make.alias('toString') })],
    [
      'an alias to a relation',
      'x',
      /ends with a relation/,
      one({ a: make.relatedEntity('A'), x: make.alias('a') }),
    ],
    [
      'an alias that continues after a value',
      'x',
      /continues after/,
      one({ n: make.object(), x: make.alias('n.tags') }),
    ],
    [
      'an alias through to-many',
      'x',
      /to-many/,
      two({ all: make.relatedEntities('Other', 'a'), x: make.alias('all.text') }),
    ],
    ['an alias of itself', 'x', /leads back to itself/, one({ x: make.alias('x') })],
    [
      'aliases of each other',
      'x',
      /leads back to itself/,
      one({ a: make.relatedEntity('A'), x: make.alias('a.y'), y: make.alias('a.x') }),
    ],
    [
      'a relation to a class not given',
      'x',
      /"Nope" that the store does not have/,
      one({ x: make.relatedEntity('Nope') }),
    ],
    [
      'a to-many to a class not given',
      'x',
      /"Nope" that the store does not have/,
      one({ x: make.relatedEntities('Nope', 'y') }),
    ],
    [
      'a missing inverse',
      'x',
      /is not a to-one relation/,
      two({ x: make.relatedEntities('Other', 'nope') }),
    ],
    [
      'an inverse that is a value',
      'x',
      /is not a to-one relation/,
      two({ x: make.relatedEntities('Other', 'text') }),
    ],
    [
      'an inverse that points elsewhere',
      'x',
      /points to "Other"/,
      () =>
        build(
          define('A', { ID: key, x: make.relatedEntities('Other', 'o') }),
          define('Other', { ID: key, o: make.relatedEntity('Other') }),
        ),
    ],
    [
      'two inverses',
      'y',
      /already the inverse of "Other.a"/,
      two({ x: make.relatedEntities('Other', 'a'), y: make.relatedEntities('Other', 'a') }),
    ],
    [
      'a foreign key that is missing',
      'x',
      /is not a storage attribute/,
      one({ x: make.relatedEntity('A', { foreignKey: 'nope' }) }),
    ],
    [
      'a foreign key that is a relation',
      'x',
      /is not a storage attribute/,
      one({ y: make.relatedEntity('A'), x: make.relatedEntity('A', { foreignKey: 'y' }) }),
    ],
    [
      'a foreign key of another type',
      'x',
      /of type string/,
      one({ f: make.string(), x: make.relatedEntity('A', { foreignKey: 'f' }) }),
    ],
    [
      'one foreign key of two relations',
      'y',
      /belongs to the relation "x"/,
      one({
        f: make.long(),
        x: make.relatedEntity('A', { foreignKey: 'f' }),
        y: make.relatedEntity('A', { foreignKey: 'f' }),
      }),
    ],
    [
      'emptying what is not null',
      'x',
      /would empty/,
      one({ x: make.relatedEntity('A', { notNull: true, onDelete: 'null' }) }),
    ],
    [
      'emptying a foreign key that is not null',
      'x',
      /would empty/,
      one({
        f: make.long({ notNull: true }),
        x: make.relatedEntity('A', { foreignKey: 'f', onDelete: 'null' }),
      }),
    ],
    [
      'an unknown onDelete',
      'x',
      /onDelete is unknown/,
      one({ x: make.relatedEntity('A', { onDelete: 'drop' }) }),
    ],
    [
      'an unknown option of a relation',
      'x',
      /"foreignkey" is not an option/,
      one({ x: make.relatedEntity('A', { foreignkey: 'f' }) }),
    ],
    ['an unknown option of a class', null, /"hook" is not an option/, one({}, { hook: {} })],
    ['an unknown hook', null, /"onSave" is not a hook/, one({}, { hooks: { onSave: run } })],
    [
      'a hook that is no function',
      null,
      /hook "init" is not a function/,
      one({}, { hooks: { init: 1 } }),
    ],
    ['a function without target', null, /what it works on/, one({}, { functions: { f: { run } } })],
    [
      'a function without run',
      null,
      /nothing to run/,
      one({}, { functions: { f: { on: 'entity' } } }),
    ],
    [
      'a function with a wrong name',
      null,
      /is not an identifier/,
      one({}, { functions: { 'a/b': { on: 'entity', run } } }),
    ],
    [
      'a class given twice',
      null,
      /contains it twice/,
      () => build(define('A', { ID: key }), define('A', { ID: key })),
    ],
    [
      'one collection name twice',
      null,
      /collectionName/,
      () =>
        build(define('B', { ID: key }, { collectionName: 'ASelection' }), define('A', { ID: key })),
    ],
  ])('%s', (_claim, attributeName, problem, wrong) => {
    const error = errorOf(wrong)
    expect(error.details.dataClass).toBe('A')
    expect(error.details.attribute).toBe(attributeName)
    expect(error.message).toMatch(problem)
    expect(error.message).toContain(error.details.remedy)
    expect(error.details.remedy).toMatch(/^[A-Z].*[^.]\.$|….$/)
    expect(error.details.problem).not.toMatch(/\.$/)
  })

  test.each(
    'transact snapshot restore at changes on dump verify entitySets locks sessions dataClass close call singleton catalog globalStamp name id then toJSON constructor prototype __proto__ toString hasOwnProperty __a a-b 1a'
      .split(' ')
      .concat('', ' ', 'a b'),
  )('a dataclass called "%s"', (name) => {
    expect(errorOf(() => define(name, { ID: key })).details.dataClass).toBe(name)
  })

  test('a name that is not a string', () => {
    expect(errorOf(() => define(7, { ID: key })).message).toMatch(/its name is not text/)
  })

  test('a default of null is the same as no default', () => {
    expect(() =>
      build(define('A', { ID: key, x: make.long({ default: null, min: 1 }) })),
    ).not.toThrow()
  })

  test('a store without a name, or without dataclasses', () => {
    expect(() => buildCatalog({ name: '', dataClasses: [] })).toThrow(/name must be/)
    expect(() => buildCatalog({ name: 'x' } as unknown as CatalogOptions)).toThrow(
      /dataClasses must be/,
    )
  })

  function errorOf(wrong: () => unknown) {
    try {
      wrong()
    } catch (error) {
      if (isEntiaError(error, 'modelInvalid')) return error
      throw error
    }
    throw new Error('the model was accepted')
  }
})
