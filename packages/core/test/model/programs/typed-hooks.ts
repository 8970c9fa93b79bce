// Hooks and class functions that know their store. The model contains what they belong to, so
// TypeScript needs the types that they return.
import {
  attribute,
  createDataStore,
  type DataStore,
  defineDataClass,
  type HookRefusal,
  type ModelOf,
  type RemoveContext,
  type SaveContext,
  type Untyped,
} from '@entia/core'

interface Hr extends ModelOf<[typeof Company, typeof Employee]> {}
interface HrStore extends DataStore<Hr> {}

const Company = defineDataClass(
  'Company',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ notNull: true, indexed: true }),
    staff: attribute.relatedEntities('Employee', 'employer'),
  },
  {
    functions: {
      head: {
        on: 'entity',
        run: ({ entity, store }: { entity: { ID: number }; store: HrStore }): string | null =>
          store.Employee.query('employer.ID = :1', [entity.ID]).first()?.lastName ?? null,
      },
      size: { on: 'dataClass', run: ({ dataClass }) => dataClass.count },
    },
  },
)
const Employee = defineDataClass(
  'Employee',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    lastName: attribute.string({ indexed: true }),
    salary: attribute.number({ indexed: true, min: 0 }),
    employer: attribute.relatedEntity('Company'),
  },
  {
    functions: {
      raise: {
        on: 'entity',
        run: (
          { entity, store }: { entity: { salary: number | null }; store: HrStore },
          by: number,
        ): number => (entity.salary ?? 0) * store.Company.count + by,
      },
    },
    hooks: {
      validateSave: (
        entity,
        { store, before }: SaveContext<'Employee', Untyped, HrStore>,
      ): HookRefusal | undefined =>
        store.Company.count > 3 && entity.salary === before?.salary
          ? { errCode: 10001, message: store.Company.all().orderBy('name').first()?.name ?? '' }
          : undefined,
      validateRemove: (entity, { store }: RemoveContext<HrStore>): HookRefusal | undefined =>
        // @ts-expect-error misspelt
        store.Company.query('ID = 1').orderBy('nam').first()?.ID === entity.ID
          ? undefined
          : undefined,
      afterSave: (entity, { store }: { store: HrStore }): void => {
        store.Company.update(1, { name: entity.lastName ?? '' })
        // @ts-expect-error no such dataclass
        store.Customer
      },
    },
  },
)
export const store: HrStore = createDataStore({ name: 'hr', dataClasses: [Company, Employee] })
export const raised: number = store.Employee.callOn(store.Employee.get(1)!, 'raise', 3)
export const head: string | null = store.Company.callOn(store.Company.get(1)!, 'head')
export const size: number = store.Company.call('size')
// @ts-expect-error wrong argument
store.Employee.callOn(store.Employee.get(1)!, 'raise', 'much')

// Without an annotation they have a store of any model.
defineDataClass(
  'Note',
  { ID: attribute.long({ key: true }), text: attribute.string() },
  {
    hooks: {
      afterRemove: (note, { store }) => store.dataClass('Log').insert({ text: note.text }).text,
    },
  },
)
