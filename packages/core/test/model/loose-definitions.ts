import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { buildCatalog } from '../../src/model/build-catalog.ts'
import type { AnyDataClass } from '../../src/model/definition.ts'

/** Definitions that the types refuse, as plain JavaScript would write them. */
export const define = defineDataClass as unknown as (
  name: unknown,
  attributes: object,
  options?: object,
) => AnyDataClass
export const make = attribute as unknown as {
  readonly [builder: string]: (first?: unknown, second?: unknown, third?: unknown) => object
}
export const key = make.long({ key: true })
export const build = (...dataClasses: readonly AnyDataClass[]) =>
  buildCatalog({ name: 'test', dataClasses })

/** Companies, employees and countries: every kind of attribute once. */
export const hr = () =>
  build(
    define('Company', {
      ID: key,
      name: make.string({ notNull: true, collation: 'exact' }),
      country: make.relatedEntity('Country', { onDelete: 'restrict' }),
      countryName: make.alias('country.name'),
      employees: make.relatedEntities('Employee', 'employer'),
    }),
    define('Employee', {
      ID: key,
      name: make.string(),
      employer: make.relatedEntity('Company', { foreignKey: 'employerID' }),
      employerID: make.long(),
      notes: make.object({ default: { tags: ['a'] } }),
      born: make.date({ dateOnly: true, default: '1970-01-03' }),
      employerCountry: make.alias('employer.countryName'),
      loud: make.computed('string', { get: (e: { name: string }) => e.name.toUpperCase() }),
      boss: make.relatedEntity('Employee', { notNull: true }),
      team: make.relatedEntities('Employee', 'boss'),
    }),
    define('Country', { code: make.string({ key: true }), name: make.string() }),
  )
