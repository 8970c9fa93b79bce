import {
  attribute,
  createDataStore,
  defineDataClass,
  type Session,
  type SessionUser,
} from '../../src/index.ts'

/** A clock that tests advance. */
export function fakeClock() {
  let now = 1_000_000
  return {
    now: () => now,
    monotonic: () => now - 999_999,
    advance: (milliseconds: number) => (now += milliseconds),
  }
}

export const Company = defineDataClass('Company', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string(),
  staff: attribute.relatedEntities('Employee', 'employer'),
  badges: attribute.relatedEntities('Badge', 'company'),
})
export const Employee = defineDataClass('Employee', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  salary: attribute.number(),
  employer: attribute.relatedEntity('Company'),
})
export const Badge = defineDataClass('Badge', {
  ID: attribute.long({ key: true, autoSequence: true }),
  company: attribute.relatedEntity('Company', { onDelete: 'cascade' }),
})
/** Its hooks make writes go through the stage instead of the direct path. */
const Note = defineDataClass(
  'Note',
  { ID: attribute.string({ key: true }), text: attribute.string(), saved: attribute.long() },
  {
    hooks: {
      beforeSave: (draft) => {
        draft.saved = (draft.saved ?? 0) + 1
      },
    },
    functions: {
      whoami: { on: 'dataClass', run: ({ session }) => session },
    },
  },
)

type Options = Omit<
  Parameters<typeof createDataStore>[0],
  'name' | 'dataClasses' | 'functions' | 'singletons'
>

export function serverStateStore(options: Options = {}) {
  const clock = fakeClock()
  const store = createDataStore({
    name: 'side',
    dataClasses: [Company, Employee, Badge, Note],
    clock,
    ...options,
  })
  store.Company.insert({ name: 'Acme' })
  for (const name of ['Ada', 'Bob', 'Cyd']) store.Employee.insert({ name, employer: 1 })
  store.Badge.insert({ company: 1 })
  store.Note.insert({ ID: 'n', text: 'first' })
  return { store, clock }
}
export type SideStore = ReturnType<typeof serverStateStore>['store']

export const userNamed = (name: string): SessionUser => ({
  ID: `u-${name}`,
  userName: name,
  fullName: name,
  groups: [],
})

/** The code of the error that a call throws, or its result. */
export function codeOf<R>(run: () => R): R | string {
  try {
    return run()
  } catch (error) {
    if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code)
    throw error
  }
}

export const lockKind = (store: SideStore, key: number, session: Session): string =>
  store.locks.lock('Employee', key, session).kind
