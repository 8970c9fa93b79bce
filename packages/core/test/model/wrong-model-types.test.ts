// Models that do not compile, and are refused all the same when a program in plain JavaScript runs
// them.
import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import type { CreateDataStore } from '../../src/store/create-store.ts'

// The check of the types is that of the engine's signature; that of the values is all in the
// catalog.
const createDataStore = buildCatalog as unknown as CreateDataStore
const key = attribute.long({ key: true })
const Lonely = defineDataClass('Lonely', { ID: key, other: attribute.relatedEntity('Elsewhere') })
const Many = defineDataClass('Many', {
  ID: key,
  one: attribute.relatedEntity('One'),
  self: attribute.relatedEntity('Many'),
})
const toMany = <const I extends string>(inverse: I) => attribute.relatedEntities('Many', inverse)

test.each<() => unknown>([
  // @ts-expect-error Elsewhere is missing
  () => createDataStore({ name: 'x', dataClasses: [Lonely] }),
  // @ts-expect-error name of a store member
  () => createDataStore({ name: 'x', dataClasses: [defineDataClass('at', { ID: key })] }),
  () =>
    buildCatalog({
      name: 'x',
      dataClasses: [
        defineDataClass('Bad', {
          ID: key,
          // @ts-expect-error foreignKey names no attribute
          boss: attribute.relatedEntity('Bad', { foreignKey: 'bossID' }),
        }),
      ],
    }),
  () =>
    buildCatalog({
      name: 'x',
      dataClasses: [
        defineDataClass('Bad', {
          ID: key,
          // @ts-expect-error begins nowhere
          c: attribute.alias('nowhere.name'),
        }),
      ],
    }),
  // @ts-expect-error misspelt option beside a right one
  () => defineDataClass('Bad', { ID: key, name: attribute.string({ indexed: true, uniqe: true }) }),
  () =>
    defineDataClass('Bad', {
      ID: key,
      // @ts-expect-error misspelt option of a relation
      bad: attribute.relatedEntity('Bad', { onDelete: 'null', foreignkey: 'x' }),
    }),
  // @ts-expect-error no key
  () => defineDataClass('Bad', { name: attribute.string() }),
  // @ts-expect-error no key: the option is false
  () => defineDataClass('Bad', { ID: attribute.long({ key: false }) }),
  () =>
    buildCatalog({
      name: 'x',
      dataClasses: [
        defineDataClass('Bad', {
          ID: key,
          boss: attribute.relatedEntity('Bad'),
          // @ts-expect-error an alias of a relation
          chief: attribute.alias('boss'),
        }),
      ],
    }),
  () =>
    createDataStore({
      name: 'x',
      // @ts-expect-error the inverse does not exist
      dataClasses: [defineDataClass('One', { ID: key, many: toMany('nowhere') }), Many],
    }),
  () =>
    createDataStore({
      name: 'x',
      // @ts-expect-error the inverse is not a relation
      dataClasses: [defineDataClass('One', { ID: key, many: toMany('ID') }), Many],
    }),
  () =>
    createDataStore({
      name: 'x',
      // @ts-expect-error the inverse leads to another dataclass
      dataClasses: [defineDataClass('One', { ID: key, many: toMany('self') }), Many],
    }),
  // @ts-expect-error default of another type
  () => defineDataClass('Bad', { ID: key, age: attribute.long({ default: 'x' }) }),
])('%s', (wrong) => {
  expect(wrong).toThrow(expect.objectContaining({ code: 'modelInvalid' }))
})

test('keys that a program decides when it runs, and names that it makes, compile', () => {
  const isKey = Boolean(1)
  const names = Object.fromEntries(['a', 'b'].map((name) => [name, attribute.string()]))
  defineDataClass('Decided', { ID: attribute.long({ key: isKey }) })
  defineDataClass('Made', { ID: key, ...names })
  const One = defineDataClass('One', { ID: key, many: toMany('one') })
  expect(createDataStore({ name: 'x', dataClasses: [One, Many] })).toBeDefined()
})

/** What only the compiler can tell. */
const wrongCode = () => [
  defineDataClass('Bad', {
    ID: key,
    // @ts-expect-error the annotation asks for an attribute that is not there
    c: attribute.computed('string', { get: (x: { nope: string }) => x.nope }),
  }),
  defineDataClass('Bad', {
    ID: key,
    // @ts-expect-error the annotation asks for another type
    c: attribute.computed('string', { get: (x: { ID: string }) => x.ID }),
  }),
  // @ts-expect-error a getter of another type
  attribute.computed('number', { get: () => 'text' }),
  defineDataClass(
    'Functions',
    { ID: key, name: attribute.string(), other: attribute.relatedEntity('Elsewhere') },
    {
      functions: {
        trusted: {
          on: 'dataClass',
          run: ({ dataClass }) => dataClass.all().orderBy('name desc, other.whatever'),
        },
        // @ts-expect-error misspelt inside a class function
        bad: { on: 'dataClass', run: ({ dataClass }) => dataClass.all().orderBy('nam') },
        // @ts-expect-error misspelt attribute of the entity
        worse: { on: 'entity', run: ({ entity }) => entity.nope },
      },
      // @ts-expect-error misspelt in a hook
      hooks: { validateSave: (entity) => (entity.nope ? undefined : undefined) },
    },
  ),
]

test('these definitions are valid at run time, although the compiler refuses them', () => {
  expect(wrongCode()).toHaveLength(4)
})
