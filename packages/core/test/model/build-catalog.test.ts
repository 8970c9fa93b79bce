import { describe, expect, test } from 'vitest'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import type { AliasAttribute, ToManyAttribute, ToOneAttribute } from '../../src/model/catalog.ts'
import { define, hr, key, make } from './loose-definitions.ts'

describe('a catalog', () => {
  test('links relations in both directions', () => {
    const { byName } = hr()
    const employer = byName.get('Employee')!.attributes.get('employer') as ToOneAttribute
    const employees = byName.get('Company')!.attributes.get('employees') as ToManyAttribute
    expect(employer.inverse).toBe(employees)
    expect(employees.inverse).toBe(employer)
    expect(employer.target).toBe(byName.get('Company'))
    expect(byName.get('Company')!.incoming).toEqual([employer])
    expect(byName.get('Employee')!.incoming.map((relation) => relation.name)).toEqual(['boss'])
  })

  test('has a column for each value, with hidden foreign keys last and without attributes', () => {
    const employee = hr().byName.get('Employee')!
    expect(employee.storage.map((column) => column.name)).toEqual([
      'ID',
      'name',
      'employerID',
      'notes',
      'born',
      'boss',
    ])
    expect(
      employee.storage.every((column, i) => column.ordinal === i && column.owner === employee),
    ).toBe(true)
    expect(employee.storage.filter((column) => column.hidden).map((column) => column.name)).toEqual(
      ['boss'],
    )
    expect(employee.attributes.get('boss')!.kind).toBe('relatedEntity')
    expect([...employee.attributes.keys()].slice(0, 4)).toEqual([
      'ID',
      'name',
      'employer',
      'employerID',
    ])
  })

  test('stores a foreign key with the type and collation of the key that it refers to', () => {
    const company = hr().byName.get('Company')!
    const { foreignKey } = company.attributes.get('country') as ToOneAttribute
    expect([foreignKey.type, foreignKey.collation, foreignKey.hidden]).toEqual([
      'string',
      'exact',
      true,
    ])
    expect(foreignKey.relation!.name).toBe('country')
    expect(company.key.collation).toBe('exact')
  })

  test('restricts removals by default where a relation must not be null', () => {
    const boss = hr().byName.get('Employee')!.attributes.get('boss') as ToOneAttribute
    expect([boss.notNull, boss.foreignKey.notNull, boss.onDelete]).toEqual([true, true, 'restrict'])
    const employer = hr().byName.get('Employee')!.attributes.get('employer') as ToOneAttribute
    expect([employer.notNull, employer.onDelete]).toEqual([false, 'null'])
  })

  test('resolves aliases of aliases', () => {
    const alias = hr().byName.get('Employee')!.attributes.get('employerCountry') as AliasAttribute
    expect(alias.steps.map((step) => step.name)).toEqual(['employer', 'country'])
    expect([alias.target.owner.name, alias.target.name]).toEqual(['Country', 'name'])
  })

  test('keeps defaults as stored values', () => {
    const employee = hr().byName.get('Employee')!
    const defaults = new Map(employee.storage.map((column) => [column.name, column.defaultValue]))
    expect(defaults.get('born')).toBe(2)
    expect(defaults.get('notes')).toEqual({ tags: ['a'] })
    expect(defaults.get('name')).toBeUndefined()
  })

  test('is frozen', () => {
    const catalog = hr()
    for (const dataClass of catalog.classes) {
      const pieces = [
        dataClass,
        dataClass.storage,
        dataClass.hooks,
        ...dataClass.storage,
        ...dataClass.attributes.values(),
      ]
      expect(pieces.filter((piece) => !Object.isFrozen(piece))).toEqual([])
    }
  })

  test('exposes dataclasses and attributes by default, and functions only on request', () => {
    const run = () => 1
    const catalog = buildCatalog({
      name: 'test',
      dataClasses: [
        define(
          'A',
          { ID: key, hidden: make.string({ exposed: false }) },
          {
            functions: {
              f: { on: 'dataClass', run },
              g: { on: 'entity', exposed: true, onHttpGet: true, run },
            },
          },
        ),
        define('B', { ID: key }, { exposed: false }),
      ],
      functions: { ping: { run } },
      singletons: { Factory: { build: { exposed: true, run } } },
    })
    expect(
      catalog.classes.map((dataClass) => [dataClass.exposed, dataClass.collectionName]),
    ).toEqual([
      [true, 'ASelection'],
      [false, 'BSelection'],
    ])
    expect(catalog.classes[0].attributes.get('hidden')!.exposed).toBe(false)
    expect(catalog.classes[0].functions.get('f')!.exposed).toBe(false)
    expect(catalog.classes[0].functions.get('g')).toMatchObject({
      on: 'entity',
      exposed: true,
      onHttpGet: true,
    })
    expect(catalog.functions.get('ping')!.exposed).toBe(false)
    expect(catalog.singletons.get('Factory')!.get('build')!.exposed).toBe(true)
  })
})
