import {
  attribute,
  createDataStore,
  defineDataClass,
  EntiaError,
  isEntity,
  type Session,
} from '@entia/core'
import { loggedIn, outgoing, restError } from '../../src/index.ts'
import { fixedPorts } from './models.ts'

export const thrown = new Error('secret /path/of/the/application')
const ann = { ID: 'u1', userName: 'ann', fullName: 'Ann Ng', groups: ['staff'] }

// biome-ignore lint/suspicious/noExplicitAny: what a parameter is, is what these tests are about
export type Sent = any

/**
 * Students of schools, with a function for each ability of functions; `seen` records what the
 * functions saw.
 */
export function createSchools() {
  const seen: unknown[] = []
  const Schools = defineDataClass(
    'Schools',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string(),
      budget: attribute.number({ exposed: false }),
      students: attribute.relatedEntities('Students', 'school'),
      pupils: attribute.relatedEntities('Students', 'second'),
    },
    {
      functions: {
        rename: {
          on: 'entity',
          exposed: true,
          run: ({ entity }, name: string) => `${entity.name}>${name}`,
        },
      },
    },
  )
  const Students = defineDataClass(
    'Students',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      firstname: attribute.string(),
      lastname: attribute.string({ maxLength: 20 }),
      born: attribute.date({ dateOnly: true }),
      secret: attribute.string({ exposed: false }),
      exam: attribute.string(),
      notes: attribute.object(),
      photo: attribute.image(),
      school: attribute.relatedEntity('Schools', { foreignKey: 'schoolID' }),
      schoolID: attribute.long(),
      second: attribute.relatedEntity('Schools'),
      shout: attribute.computed('string', {
        get: (student: { lastname: string | null }) => `${student.lastname}!`,
        set: (value: string | null) => ({ lastname: value?.slice(0, -1) ?? null }),
      }),
    },
    {
      functions: {
        pushData: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }, sent: Sent) => {
            seen.push(sent)
            if (typeof sent.lastname === 'string') sent.lastname = sent.lastname.toUpperCase()
            return isEntity(sent)
              ? dataClass.update((sent as Sent).key, sent as Sent)
              : dataClass.insert(sent)
          },
        },
        look: {
          on: 'dataClass',
          exposed: true,
          run: (_, ...parameters: Sent[]) => {
            seen.push(...parameters)
            return parameters.length
          },
        },
        setFinalExam: {
          on: 'dataClass',
          exposed: true,
          run: ({ dataClass }, students: Sent, exam: string) => {
            for (const student of students) dataClass.update(student.ID, { exam })
            return students.keys()
          },
        },
        names: {
          on: 'selection',
          exposed: true,
          onHttpGet: true,
          run: ({ selection }, separator: string) =>
            selection
              .toArray()
              .map((s) => s.firstname)
              .join(separator),
        },
        itself: { on: 'selection', exposed: true, run: ({ selection }) => selection },
        greet: {
          on: 'entity',
          exposed: true,
          onHttpGet: true,
          run: ({ entity }, word: string) => `${word} ${entity.firstname}`,
        },
        me: { on: 'entity', exposed: true, run: ({ entity }) => entity },
        hidden: { on: 'dataClass', run: () => 1 },
      },
      hooks: {
        validateSave: (student) =>
          student.lastname === 'REFUSED'
            ? { errCode: 10_001, message: 'the name is refused' }
            : undefined,
        afterSave: (_, { session }) => {
          seen.push((session as Session | null)?.user?.userName ?? null)
        },
      },
    },
  )
  const Vault = defineDataClass('Vault', { ID: attribute.long({ key: true }) }, { exposed: false })
  const store = createDataStore({
    name: 'schools',
    dataClasses: [Schools, Students, Vault],
    functions: {
      ping: {
        exposed: true,
        onHttpGet: true,
        run: ({ session }) => session?.user?.userName ?? 'nobody',
      },
      echo: { exposed: true, run: (_, ...parameters: Sent[]) => parameters },
      evaluate: { exposed: true, run: ({ store: inside }, what: string) => evaluate(inside, what) },
      authentify: {
        exposed: true,
        run: (_, name: string, password: string) => {
          if (password !== 'right') throw restError('loginFailed', { problem: 'no such user' })
          return loggedIn({ ...ann, userName: name }, { result: `welcome ${name}` })
        },
      },
      own: { run: () => 1 },
    },
    singletons: {
      Factory: {
        build: { exposed: true, run: (_, kind: string) => ({ kind }) },
        peek: { exposed: true, onHttpGet: true, run: () => 'seen' },
        own: { run: () => 1 },
      },
      Own: { build: { run: () => 1 } },
    },
    ...fixedPorts(),
  })
  store.Schools.insert({ name: 'North', budget: 5 })
  store.Schools.insert({ name: 'South' })
  for (const [firstname, school] of [
    ['Ada', 1],
    ['Bob', 1],
    ['Cyd', 2],
  ] as const)
    store.Students.insert({ firstname, lastname: 'Lee', school, second: 1, secret: 'hush' })
  store.Vault.insert({ ID: 1 })
  seen.length = 0
  return { store, seen }
}

class Point {
  readonly #x = 1
  get x() {
    return this.#x
  }
  toJSON() {
    return { x: this.#x }
  }
}

/** One function that returns, or throws, whatever a test is about. */
// biome-ignore lint/suspicious/noExplicitAny: the store's type is not what these tests are about
function evaluate(store: any, what: string): unknown {
  const cyclic: { self?: unknown } = {}
  cyclic.self = { inner: cyclic }
  const results = new Map<string, () => unknown>([
    ['undefined', () => undefined],
    ['null', () => null],
    ['zero', () => 0],
    [
      'object',
      () => ({
        a: [1, undefined, { b: 'x' }],
        holes: new Array(2),
        gone: undefined,
        at: new Date(0),
        point: new Point(),
      }),
    ],
    ['promise', () => Promise.resolve('later')],
    ['async entity', async () => store.Students.get(2)],
    ['no entity', () => store.Students.get(99)],
    ['inside', () => ({ one: store.Students.get(1), all: [store.Students.query('ID < 3')] })],
    ['vault', () => store.Vault.get(1)],
    ['vault inside', () => [{ v: store.Vault.all() }]],
    ['function', () => ({ deep: [() => 1] })],
    ['bigint', () => 1n],
    ['NaN', () => [Number.NaN]],
    ['cycle', () => cyclic],
    ['map', () => ({ m: new Map() })],
    ['photo', () => ({ p: store.Students.get(1).photo, nested: Promise.resolve(1) })],
    ['csv', () => outgoing('a;b\n', { mediaType: 'text/csv; charset=utf-8', status: 201 })],
    ['bytes', () => outgoing(new Uint8Array([1, 2, 255]))],
    ['throw', () => fail(thrown)],
    ['throw nothing', () => fail(undefined)],
    ['reject', () => Promise.reject(thrown)],
    [
      'refuse',
      () =>
        fail(new EntiaError('functionRefused', { errCode: 10_042, message: 'closed on Sundays' })),
    ],
    [
      'refuse low',
      () => fail(new EntiaError('functionRefused', { errCode: 5, message: 'secret' })),
    ],
    ['missing', () => store.Students.update(99, { firstname: 'x' })],
    ['refused', () => store.Students.insert({ lastname: 'REFUSED' })],
    ['own mistake', () => store.Students.query('secretMistake = 1')],
    ['hidden fault', () => store.Vault.insert({ ID: 1 })],
  ])
  return results.get(what)!()
}

function fail(error: unknown): never {
  throw error
}
