import { z } from 'zod'

export const dataClass = z.string().min(1).describe('Name of the dataclass, as "catalog" lists it')
export const filter = z
  .string()
  .optional()
  .describe(
    "Which entities; all by default. For example: salary > :1 and employer.city === 'Paris'. Read the resource entia://filter-language for the syntax.",
  )
export const parameters = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
  .optional()
  .describe('Values of the placeholders: a list for :1, :2; an object for :name')
export const attributes = z
  .string()
  .optional()
  .describe(
    'Attributes to show, separated by commas: "lastName, employer.name". All stored values by default.',
  )
/** Which part of a long answer; `most` is the most items of one answer. */
export const page = (items: 'Rows' | 'Groups' | 'Values', most: number, usual = most) => ({
  skip: z.number().int().min(0).optional().describe(`${items} to skip`),
  limit: z
    .number()
    .int()
    .min(1)
    .max(most)
    .optional()
    .describe(`${items} to return; ${usual} by default`),
})
export const key = z.union([z.string(), z.number()]).describe('Key of the entity')
/** The values of an entity to write, by attribute. */
export const values = z
  .record(z.string(), z.unknown())
  .describe('Values by attribute. A to-one relation takes the key of the related entity.')

export interface Filtered {
  readonly filter?: string | undefined
  readonly parameters?: readonly unknown[] | { readonly [name: string]: unknown } | undefined
}

/** The parameters of a request that select entities. */
export const selecting = ({ filter, parameters }: Filtered) => ({
  $filter: filter === undefined || filter.trim() === '' ? undefined : `"${filter}"`,
  $params: parameters === undefined ? undefined : JSON.stringify(parameters),
})
