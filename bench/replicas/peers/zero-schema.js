import {
  boolean,
  createBuilder,
  createSchema,
  defineMutators,
  defineMutatorWithType,
  defineQueries,
  defineQueryWithType,
  number,
  string,
  table,
} from '@rocicorp/zero'

const people = table('people')
  .columns({
    ID: string(),
    firstName: string(),
    lastName: string(),
    email: string(),
    city: string(),
    company: string(),
    salary: number(),
    born: string(),
    active: boolean(),
    notes: string(),
  })
  .primaryKey('ID')

export const schema = createSchema({ tables: [people] })
export const zql = createBuilder(schema)

/** Queries and mutators that the page and the server share. */
export const queries = defineQueries({
  everybody: defineQueryWithType()(() => zql.people),
  bestPaid: defineQueryWithType()(({ args: { city } }) =>
    zql.people.where('city', city).orderBy('salary', 'desc').limit(50),
  ),
})
export const mutators = defineMutators({
  setSalary: defineMutatorWithType()(async ({ tx, args: { ID, salary } }) => {
    await tx.mutate.people.update({ ID, salary })
  }),
})
