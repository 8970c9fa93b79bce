/**
 * The store of a soak. All its limits are low, so that the warm-up reaches them and any later
 * growth is a leak.
 */
import { attribute, createDataStore, defineDataClass } from '@entia/core'

export const COMPANIES = 200
export const EMPLOYEES = 10_000
export const NAMES = [
  ...['Ada', 'Grace', 'Émile', 'Ann', "O'Neil", 'Zoë', 'Alan', 'Edsger', 'Barbara', 'Niklaus'],
  'Donald',
]
export const CITIES = ['Paris', 'Clichy', 'San Jose', 'Dallas', 'Chicago', 'São Paulo', 'Zürich']

const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true, indexed: true }),
  city: attribute.string({ indexed: true }),
  employees: attribute.relatedEntities('Employee', 'employer'),
})
const Employee = defineDataClass(
  'Employee',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    firstName: attribute.string(),
    lastName: attribute.string({ indexed: true }),
    email: attribute.string({ unique: true }),
    salary: attribute.number({ indexed: true, min: 0 }),
    hired: attribute.date(),
    notes: attribute.object(),
    photo: attribute.image(),
    employer: attribute.relatedEntity('Company', { foreignKey: 'employerID' }),
    employerID: attribute.long(),
    fullName: attribute.computed('string', {
      get: (/** @type {{ firstName: string | null, lastName: string | null }} */ entity) =>
        `${entity.firstName} ${entity.lastName}`,
    }),
  },
  {
    functions: {
      raise: {
        on: 'entity',
        exposed: true,
        run: ({ entity }, by) => (entity.salary ?? 0) + Number(by),
      },
    },
  },
)

const store = createDataStore({
  name: 'soak',
  dataClasses: [Company, Employee],
  history: { commits: 200, bytes: 1_048_576 },
  keptTexts: { characters: 262_144 },
  sessions: { max: 100, maxGuests: 50, maxPerAddress: 50 },
  entitySets: { max: 200, maxBytes: 4_194_304 },
  uploads: { max: 20, maxBytes: 1_048_576 },
})
store.Company.load(
  Array.from({ length: COMPANIES }, (_, n) => ({
    ID: n + 1,
    name: `Company ${n + 1}`,
    city: CITIES[n % CITIES.length] ?? '',
  })),
)
store.Employee.load(
  Array.from({ length: EMPLOYEES }, (_, n) => ({
    ID: n + 1,
    firstName: NAMES[n % NAMES.length] ?? '',
    lastName: `${NAMES[(n * 7) % NAMES.length]} ${n % 500}`,
    email: `p${n}@soak.example`,
    salary: 20_000 + ((n * 37) % 60_000),
    hired: '2020-01-01T00:00:00Z',
    notes: { level: n % 5, tags: ['a', 'b'] },
    employerID: (n % COMPANIES) + 1,
  })),
)

export const rest = { users: [{ name: 'ada', password: 'engine', groups: ['staff'] }] }
export default store
