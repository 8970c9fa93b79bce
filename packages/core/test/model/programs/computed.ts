// A computed attribute reads as what its getter returns.
import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true }),
  salary: attribute.number({ notNull: true }),
  bonus: attribute.number(),
  monthly: attribute.computed('number', { get: (e: { salary: number }) => e.salary / 12 }),
  perDay: attribute.computed('number', {
    get: (e: { salary: number }) => e.salary / 365,
    set: (value) => ({ salary: (value ?? 0) * 365 }),
  }),
  total: attribute.computed('number', {
    get: (e: { salary: number; bonus: number | null }) =>
      e.bonus === null ? null : e.salary + e.bonus,
  }),
  born: attribute.computed('date', { get: () => 0 }),
  label: attribute.computed('string', { get: (e) => e.anything.toUpperCase() }),
  // @ts-expect-error the getter must return a number
  wrong: attribute.computed('number', { get: () => 'text' }),
  boss: attribute.relatedEntity('Employee'),
  bossMonthly: attribute.alias('boss.monthly'),
})
const store = createDataStore({ name: 'hr', dataClasses: [Employee] })
const one = store.Employee.get(1)!

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const is = <_T extends true>(): void => {}
is<Equal<typeof one.monthly, number>>()
is<Equal<typeof one.perDay, number>>()
is<Equal<typeof one.total, number | null>>()
is<Equal<typeof one.born, string>>()
is<Equal<typeof one.label, string | null>>()
is<Equal<typeof one.bossMonthly, number | null>>()
store.Employee.update(1, { perDay: null })
store.Employee.all().sum('monthly')
store.Employee.query('monthly > 3').select('monthly')[0]?.monthly.toFixed()
