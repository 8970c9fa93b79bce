import {
  attribute,
  createDataStore,
  defineDataClass,
  type Session,
  type SessionLimits,
} from '@entia/core'

/**
 * People of teams, a hidden class, a clock that the test controls, and a record of the sessions
 * that hooks received.
 */
export function createStaff(limits: SessionLimits & { readonly locksPerSession?: number } = {}) {
  const { locksPerSession = 1000, ...sessions } = limits
  const time = { now: Date.UTC(2024, 0, 31, 12, 30, 15, 250), monotonic: 5000 }
  const seen: (string | null)[] = []
  let issued = 0
  const nextId = (): string => (++issued).toString(16).padStart(32, '0')
  const Team = defineDataClass('Team', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ indexed: true }),
    members: attribute.relatedEntities('Person', 'team'),
    vaults: attribute.relatedEntities('Vault', 'team'),
  })
  const Person = defineDataClass(
    'Person',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ indexed: true }),
      email: attribute.string({ unique: true }),
      team: attribute.relatedEntity('Team', { onDelete: 'cascade' }),
    },
    {
      hooks: {
        beforeSave: (_draft, { session }) => {
          seen.push(
            (session as Session | null)?.user?.userName ?? (session === null ? null : 'guest'),
          )
        },
      },
      functions: { ping: { on: 'entity', exposed: true, onHttpGet: true, run: () => 'pong' } },
    },
  )
  const Vault = defineDataClass(
    'Vault',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      team: attribute.relatedEntity('Team', { onDelete: 'cascade' }),
    },
    { exposed: false },
  )
  const store = createDataStore({
    name: 'staff of X',
    dataClasses: [Team, Person, Vault],
    functions: {
      authentify: { exposed: true, run: () => true },
      other: { exposed: true, onHttpGet: true, run: () => 'secret' },
    },
    clock: { now: () => time.now, monotonic: () => time.monotonic },
    ids: { uuid: nextId, token: () => `token-${nextId()}` },
    sessions,
    locks: { maxPerSession: locksPerSession },
  })
  for (const name of ['red', 'blue']) store.Team.insert({ name })
  for (const [name, team] of [
    ['Ada', 1],
    ['Bob', 1],
    ['Cyd', 2],
  ] as const)
    store.Person.insert({ name, email: `${name}@x.org`, team })
  store.Vault.insert({ team: 2 })
  seen.length = 0
  /** Advances the clock by seconds. */
  const pass = (seconds: number): void => {
    time.now += seconds * 1000
    time.monotonic += seconds * 1000
  }
  return { store, seen, pass }
}

export const USERS = [
  { name: 'ada', password: 'Pässwörd', fullName: 'Ada Byron', groups: ['admins', 'staff'] },
  { name: 'bob', password: 'hunter2' },
]
