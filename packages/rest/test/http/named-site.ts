import { type AnyDataStore, attribute, createDataStore, defineDataClass } from '@entia/core'
import fc from 'fast-check'
import { createRestHandler, ReplicaState } from '../../src/index.ts'

/** Names with a meaning somewhere in an answer, and those of relations and their key members. */
const NAMES = [
  'key',
  'stamp',
  'others',
  'count',
  'value',
  'values',
  'result',
  'error',
  'code',
  'post',
  'postId',
  'posts',
  'note',
  'notes',
  'noteId',
  'dataClass',
  'entities',
  'id',
  'ID',
  'length',
  'toString',
  'average',
  'sum',
  'min',
  'max',
] as const
/** Members that a client may send as well. */
export const SENT = [
  ...NAMES,
  'more',
  '__KEY',
  '__STAMP',
  '__proto__',
  'constructor',
  'uri',
  'hidden',
]

export interface Site {
  readonly own: readonly string[]
  readonly one: string
  readonly many: string
  readonly withOthers: boolean
}

export const site: fc.Arbitrary<Site> = fc
  .record({
    names: fc.shuffledSubarray([...NAMES], { minLength: 4, maxLength: 10 }),
    withOthers: fc.boolean(),
  })
  .map(({ names: [one, many, ...own], withOthers }) => ({
    one: one!,
    many: many!,
    own: own.filter((name) => name !== 'id'),
    withOthers,
  }))

/** A store and its handler; null for names that the model refuses. */
export function serve({ own, one, many, withOthers }: Site) {
  if (one === 'id' || many === 'id' || one === 'more' || many === 'more') return null
  const Post = defineDataClass(
    'Post',
    {
      id: attribute.long({ key: true, autoSequence: true }),
      ...Object.fromEntries(own.map((name) => [name, attribute.string()])),
      hidden: attribute.string(),
      more: attribute.object(),
      [one]: attribute.relatedEntity('Post'),
      [many]: attribute.relatedEntities('Post', one),
      file: attribute.blob(),
    },
    {
      functions: {
        itself: { on: 'entity', exposed: true, run: ({ entity }) => entity },
        some: { on: 'selection', exposed: true, run: ({ selection }) => selection },
        made: { on: 'dataClass', exposed: true, run: (_, sent) => ({ value: sent, ID: 1 }) },
      },
    },
  )
  const Profile = defineDataClass('Profile', {
    profileKey: attribute.long({ key: true }),
    ...Object.fromEntries(own.map((name) => [name, attribute.string()])),
    more: attribute.object(),
  })
  let store: AnyDataStore
  try {
    store = createDataStore({
      name: 'once',
      dataClasses: [Post, Profile, ReplicaState],
      functions: { echo: { exposed: true, onHttpGet: true, run: (_, ...sent) => sent } },
      singletons: { Desk: { build: { exposed: true, run: (_, sent) => ({ value: sent }) } } },
    })
  } catch {
    return null
  }
  const others = withOthers ? { others: 'more' } : {}
  const rest = createRestHandler(store, {
    authorize: ({ attribute }) => attribute !== 'hidden',
    openapi: true,
    metrics: true,
    health: true,
    replicas: true,
    live: true,
    users: [{ name: 'ann', password: 'x' }],
    plain: {
      resources: {
        posts: { dataClass: 'Post', ...others },
        profile: { dataClass: 'Profile', only: 1, ...others },
      },
    },
  })
  return { store, rest }
}
