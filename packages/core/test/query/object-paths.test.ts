import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AnySelection,
  attribute,
  createDataStore,
  defineDataClass,
  isEntiaError,
} from '../../src/index.ts'

const Note = defineDataClass('Note', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string(),
  body: attribute.object(),
  copy: attribute.alias('parent.body'),
  parent: attribute.relatedEntity('Note'),
  replies: attribute.relatedEntities('Note', 'parent'),
})

const scalar = fc.constantFrom<unknown>('a', 'A', 'b', 'é', 'E', 1, 2, 2.5, true, false, null)
const json = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 2 },
    scalar,
    fc.array(fc.oneof(scalar, tie('json')), { maxLength: 3 }),
    fc.record({ list: tie('json'), deep: tie('json') }, { requiredKeys: [] }),
  ),
})).json
const body = fc.oneof(
  fc.constant(null),
  fc.record({ list: json, deep: json }, { requiredKeys: [] }),
)

function storeOf(bodies: readonly unknown[]): AnySelection {
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  bodies.forEach((body, at) => {
    store.Note.insert({ body: body as never, parent: at === 0 ? null : 1 })
  })
  return store.Note.all() as unknown as AnySelection
}

const PATHS = ['list', 'deep', 'deep.list', 'list.deep', 'deep.deep.list']
const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((from, name) => {
    const isInside =
      typeof from === 'object' && from !== null && !Array.isArray(from) && Object.hasOwn(from, name)
    return isInside ? (from as Record<string, unknown>)[name] : undefined
  }, value)
/** The values that a property counts with: of an array, its elements. */
const valuesOf = (bodies: readonly unknown[], path: string): unknown[] =>
  bodies
    .flatMap((body) => {
      const value = at(body, path)
      return Array.isArray(value) ? (value as unknown[]) : [value]
    })
    .filter((value) => value !== null && ['string', 'number', 'boolean'].includes(typeof value))
const folded = (value: unknown): string =>
  typeof value === 'string'
    ? value.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    : `${typeof value} ${value}`

describe('properties of objects', () => {
  test('an array counts with its elements in distinct values and aggregates', () => {
    fc.assert(
      fc.property(fc.array(body, { maxLength: 6 }), fc.constantFrom(...PATHS), (bodies, path) => {
        const selection = storeOf(bodies)
        const values = valuesOf(bodies, path)
        const found = selection.distinct(`body.${path}`)
        expect(new Set(found.map(folded))).toEqual(new Set(values.map(folded)))
        expect(found.length).toBe(new Set(values.map(folded)).size)
        expect(selection.compute(`body.${path}`, { distinct: true }).count).toBe(found.length)
        expect(selection.compute(`body.${path}`).count).toBe(values.length)
        const first = bodies.slice(0, 1)
        if (bodies.length > 1)
          expect(selection.distinct(`parent.body.${path}`).map(folded).sort()).toEqual(
            [...new Set(valuesOf(first, path).map(folded))].sort(),
          )
      }),
    )
  })

  test('a star behind an object is the object, and outer paths include inner ones, in any order', () => {
    const named = fc.constantFrom(
      'list',
      'deep',
      'deep.list',
      'deep.list.deep',
      'list.*',
      'deep.*',
      'deep.list.*',
      '*',
    )
    fc.assert(
      fc.property(
        fc.array(body, { maxLength: 4 }),
        fc.array(named, { minLength: 1, maxLength: 4 }),
        (bodies, names) => {
          const selection = storeOf(bodies)
          const shown = selection.select(names.map((name) => `body.${name}`).join())
          expect(JSON.parse(selection.json(names.map((name) => `body.${name}`).join()))).toEqual(
            shown,
          )
          bodies.forEach((body, row) => {
            const { body: found } = shown[row] as { body: unknown }
            if (names.includes('*') || body === null) expect(found).toEqual(body)
            else
              for (const name of names) {
                const path = name.replace(/\.\*$/, '')
                expect(at(found, path) ?? null).toEqual(at(body, path) ?? null)
              }
          })
        },
      ),
    )
  })

  test('a star is refused except in lists of values to show', () => {
    const selection = storeOf([{ list: [1] }])
    for (const ask of [
      () => selection.distinct('body.*'),
      () => selection.compute('body.list.*'),
      () => selection.select('title.*'),
      () => selection.select('body.*.list'),
    ]) {
      let code = ''
      try {
        ask()
      } catch (error) {
        if (isEntiaError(error)) code = error.code
      }
      expect(code).toBe('attributeNotApplicable')
    }
    expect(selection.select('body.*,copy.*')).toEqual([{ body: { list: [1] }, copy: null }])
  })
})
