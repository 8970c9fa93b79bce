import fc from 'fast-check'
import type { AttributeModel, RowFilter, View } from '../../src/index.ts'
import { type FilterText, filters } from '../filter-arbitraries.ts'
import { evaluate } from '../oracle/evaluate.ts'
import { CLASS_NAMES, type ClassName, type PlainData, type Row, SHAPE } from '../oracle/office.ts'
import { type OfficeStore, outcome } from './office-store.ts'

/** The visible rows of each dataclass as a filter; null is all rows. */
export type Rules = { readonly [K in ClassName]: FilterText | false | null }

const rule = (className: ClassName): fc.Arbitrary<FilterText | false | null> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(false as const) },
    // Some that select about half of the rows; random ones mostly select nothing.
    {
      weight: 5,
      arbitrary: fc
        .constantFrom(...USUAL[className])
        .map((text): FilterText => ({ text, params: [] })),
    },
    { weight: 4, arbitrary: filters(className) },
  )

const USUAL: { readonly [K in ClassName]: readonly string[] } = {
  Company: [
    'ID = 1',
    'ID > 1',
    'revenue >= 0',
    'city = Paris',
    'employees != null',
    'not name = a',
    'badges = null',
  ],
  Employee: [
    'ID < 4',
    'active',
    'level > 0',
    'employer.ID = 1',
    'boss = null',
    'doubled > 20',
    'salary != null or ID > 3',
  ],
  Badge: [
    'number = 0',
    'colour = red',
    'holder.boss.ID > 0',
    "code begin 'b'",
    'issuer = null',
    'holder.doubled > 0',
  ],
}

export const rules: fc.Arbitrary<Rules> = fc.record({
  Company: rule('Company'),
  Employee: rule('Employee'),
  Badge: rule('Badge'),
})

/** Foreign keys that are attributes keep their values, so they are not compared. */
const isForeignKey = ({ name }: AttributeModel): boolean =>
  name === 'employerID' || name === 'issuerID'
export const namesForeignKey = (text: string): boolean => /employerID|issuerID/.test(text)

/** The store restricted by the rules; null if a rule is not a valid filter. */
export function viewOf(store: OfficeStore, rules: Rules): View | null {
  const rows = new Map<string, RowFilter>()
  for (const name of CLASS_NAMES) {
    const rule = rules[name]
    if (rule === null) continue
    // The oracle reads a rule as any other filter.
    const { text: filter, params: parameters } = rule === false ? { text: '', params: [] } : rule
    rows.set(name, rule && { filter, parameters, wildcards: true, collation: 'folded' })
  }
  const view = outcome(() => store.view({ rows, hides: isForeignKey }))
  return view === 'refused' ? null : view
}
/** The whole store, with the same names. */
export const wholeOf = (store: OfficeStore): View => store.view({ hides: isForeignKey })

/** The data without hidden rows; relations to these are empty. */
export function seen(data: PlainData, rules: Rules): PlainData {
  const kept = Object.fromEntries(
    CLASS_NAMES.map((name) => {
      const rule = rules[name]
      if (rule === null) return [name, data[name]]
      return [name, rule === false ? [] : evaluate(data, name, rule.text, rule.params)]
    }),
  ) as { readonly [K in ClassName]: readonly Row[] }
  const keys = Object.fromEntries(
    CLASS_NAMES.map((name) => [name, new Set(kept[name].map((row) => row[SHAPE[name].key]))]),
  )
  const relink = (name: ClassName, row: Row): Row => {
    const out: Record<string, unknown> = { ...row }
    for (const attribute of Object.values(SHAPE[name].attributes))
      if (attribute.kind === 'one' && !keys[attribute.target].has(out[attribute.foreignKey]))
        out[attribute.foreignKey] = null
    return out
  }
  return Object.fromEntries(
    CLASS_NAMES.map((name) => [name, kept[name].map((row) => relink(name, row))]),
  ) as unknown as PlainData
}
