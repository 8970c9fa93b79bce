// A model with every kind of attribute, whose exports are all inferred: their types must have names
// that declarations can use.
import { attribute, createDataStore, defineDataClass, openDump } from '@entia/core'
import { openDumpFile, openJournal } from '@entia/core/node'

export const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string({ indexed: true }),
  logo: attribute.image(),
  staff: attribute.relatedEntities('Employee', 'employer'),
})
export const Employee = defineDataClass(
  'Employee',
  {
    ID: attribute.uuid({ key: true }),
    lastName: attribute.string({ indexed: true, pattern: /x/ }),
    salary: attribute.number({ indexed: true, min: 0 }),
    born: attribute.date({ dateOnly: true }),
    notes: attribute.object<{ tags: string[] }>({ notNull: true, default: { tags: [] } }),
    anything: attribute.object(),
    cv: attribute.blob(),
    employer: attribute.relatedEntity('Company', { foreignKey: 'employerID' }),
    employerID: attribute.long(),
    boss: attribute.relatedEntity('Employee'),
    company: attribute.alias('employer.name'),
    monthly: attribute.computed('number', {
      get: (e: { salary: number | null }) => (e.salary ?? 0) / 12,
      set: (value) => ({ salary: value }),
    }),
    shout: attribute.computed('string', { get: (e) => e.lastName.toUpperCase() }),
  },
  {
    functions: {
      best: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }) => dataClass.all().orderBy('salary desc').first(),
      },
      top: { on: 'selection', run: ({ selection }, count: number) => selection.page(0, count) },
      greet: {
        on: 'entity',
        run: ({ entity, session }, word: string) => `${word} ${entity.lastName} ${session?.id}`,
      },
    },
    hooks: {
      init: (draft) => {
        draft.lastName = 'x'
      },
      validateSave: (_, { before, store }) =>
        before === null && store.globalStamp > 3
          ? { errCode: 10001, message: 'too late' }
          : undefined,
    },
  },
)

export const store = createDataStore({
  name: 'hr',
  dataClasses: [Company, Employee],
  functions: { ping: { exposed: true, run: () => 3 } },
  singletons: {
    Factory: { build: { run: ({ store }, kind: string) => ({ kind, in: store.name }) } },
  },
})
export const opened = openDump(store.dump(), { dataClasses: [Company, Employee] })
export const openedFile = openDumpFile('x', { dataClasses: [Company, Employee] })
export const journal = openJournal
export const makeStore = () => createDataStore({ name: 'hr', dataClasses: [Company, Employee] })

export const table = store.Employee
export const acme = store.Company.insert({ name: 'Acme', city: 'Paris' })
export const loaded = store.Company.load([{ name: 'Acme' }])
export const updated = store.transact((tx) => tx.Employee.update('x', { salary: 3 }))
export const drafted = store.dataClass('Employee').update('x', (draft) => {
  draft.salary = 3
})
export const unknown = store.dataClass('Employee' as string)
export const best = store.Employee.call('best')
export const factory = store.singleton('Factory')
export const built = factory.call('build', 'x')
export const pong = store.call('ping')

export const rich = store.Employee.query('salary > 3')
export const first = rich.first()
export const keys = rich.keys()
export const least = rich.min('born')
export const computed = rich.compute('born')
export const cities = rich.distinct('employer.city')
export const rows = rich.select('lastName, employer.name, employer.staff.ID, notes.tags')
export const allValues = rich.select('*, employer.*')
export const top = rich.call('top', 3)
export const live = rich.live(() => {})
export const explained = rich.explain()
export const condition = rich.condition()
export const trace = store.Employee.trace('salary > 3')
export const total = (selection: typeof rich) => selection.sum('salary')

export const past = store.at(3)
export const pastFirst = past.Employee.all().first()
export const view = store.view({ rows: { Employee: 'salary > 3' } })
export const seen = view.dataClass('Employee').all()
export const snapshot = store.snapshot()
export const reading = store.reading(() => rich.first())
export const changes = store.changes({ since: 3 })
export const set = store.entitySets.get('x')
export const session = store.sessions.open()
export const model = store.catalog.byName.get('Employee')
