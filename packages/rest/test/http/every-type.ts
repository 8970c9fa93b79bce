import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { fixedPorts } from './models.ts'

/** A thing with an attribute of every type, three rows of them with gaps, and an owner. */
export function createThings() {
  const Owner = defineDataClass('Owner', {
    code: attribute.string({ key: true }),
    name: attribute.string(),
    since: attribute.date({ dateOnly: true }),
    secret: attribute.string({ exposed: false }),
    things: attribute.relatedEntities('Thing', 'owner'),
  })
  const Thing = defineDataClass('Thing', {
    ID: attribute.long({ key: true, autoSequence: true }),
    flag: attribute.bool(),
    small: attribute.long(),
    big: attribute.long64(),
    real: attribute.number(),
    text: attribute.string(),
    token: attribute.uuid(),
    day: attribute.date({ dateOnly: true }),
    moment: attribute.date(),
    span: attribute.duration(),
    notes: attribute.object(),
    photo: attribute.image(),
    data: attribute.blob(),
    owner: attribute.relatedEntity('Owner'),
    ownerName: attribute.alias('owner.name'),
    ownerSince: attribute.alias('owner.since'),
    ownerSecret: attribute.alias('owner.secret'),
    double: attribute.computed('number', {
      get: ({ real }: { real: number | null }) => (real === null ? null : real * 2),
    }),
    loud: attribute.computed('string', {
      get: ({ text }: { text: string | null }) => (text === null ? null : `${text}!`),
    }),
    hidden: attribute.long({ exposed: false }),
  })
  const store = createDataStore({ name: 'things', dataClasses: [Owner, Thing], ...fixedPorts() })
  store.Owner.insert({ code: 'o1', name: 'Olga', since: '1999-12-31' })
  store.Owner.insert({ code: 'o2', name: 'Otto' })
  store.Thing.insert({
    flag: true,
    small: -3,
    big: 9_007_199_254_740_991,
    real: 1.5,
    text: 'Été',
    token: '00112233445566778899AABBCCDDEEFF',
    day: '2024-01-31',
    moment: '2024-01-31T08:05:09.250Z',
    span: 90_500,
    notes: { rank: 2, tags: ['x'] },
    owner: 'o1',
    hidden: 1,
  })
  store.Thing.insert({
    flag: false,
    small: 4,
    big: 0,
    real: -0.5,
    text: 'ete',
    token: 'FF112233445566778899AABBCCDDEEFF',
    day: '2023-05-01',
    moment: '2025-12-31T23:59:59.999Z',
    span: 0,
    notes: { rank: 'b' },
    owner: 'o2',
  })
  store.Thing.insert({})
  return store
}

export const EVERY_TYPE = [
  'flag',
  'small',
  'big',
  'real',
  'text',
  'token',
  'day',
  'moment',
  'span',
] as const
