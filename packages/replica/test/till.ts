import {
  type AnyEntity,
  type AnySelection,
  attribute,
  createDataStore,
  defineDataClass,
  EntiaError,
} from '@entia/core'
import { createRestHandler, loggedIn, ReplicaState, type RestOptions } from '@entia/rest'
import { replicate } from '../src/index.ts'
import { linkTo, PAUSES } from './office.ts'

/** What slow functions wait for, by the text that they are given. */
export const gates = new Map<string, Promise<void>>()

const Invoice = defineDataClass(
  'Invoice',
  {
    ID: attribute.string({ key: true }),
    amount: attribute.number({ notNull: true, default: 100 }),
    paid: attribute.number({ notNull: true, default: 0 }),
    note: attribute.string(),
  },
  {
    functions: {
      pay: {
        on: 'entity',
        exposed: true,
        run: ({ entity, dataClass }, sum: number) => {
          if (typeof sum !== 'number')
            throw new EntiaError('functionRefused', { errCode: 10_002, message: 'no number' })
          const paid = entity.paid + sum
          dataClass.update(entity.ID, { paid })
          if (paid > entity.amount)
            throw new EntiaError('functionRefused', { errCode: 10_001, message: 'paid too much' })
          return { left: entity.amount - paid, at: new Date(0) }
        },
      },
      /** Pays the sum of another invoice. */
      payAs: {
        on: 'entity',
        exposed: true,
        run: ({ entity, dataClass }, other: AnyEntity) => {
          const { amount, note } = other as unknown as { amount: number; note: string | null }
          dataClass.update(entity.ID, { paid: entity.paid + amount })
          return { as: other.key, amount, note }
        },
      },
      long: { on: 'dataClass', exposed: true, run: (_, length: number) => 'x'.repeat(length) },
      /** Half of a character, which no store keeps. */
      half: { on: 'dataClass', exposed: true, run: () => '\ud800' },
      /** Works with a selection, which only the client can send. */
      count: {
        on: 'dataClass',
        exposed: true,
        run: (_, some: AnySelection) => some.count,
      },
      self: { on: 'entity', exposed: true, run: ({ entity }) => entity },
      total: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }) => dataClass.all().sum('paid'),
      },
      open: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }) => ({ found: dataClass.query('paid < 100').orderBy('ID') }),
      },
      fetchRate: {
        on: 'dataClass',
        exposed: true,
        run: async ({ dataClass }, text: string) => {
          dataClass.insert({ ID: `before ${text}` })
          await gates.get(text)
          if (text.startsWith('no')) throw new TypeError('a secret')
          dataClass.insert({ ID: `after ${text}` })
          return text.length
        },
      },
      /** A query builder: each call of `then` runs it. */
      lazily: {
        on: 'dataClass',
        exposed: true,
        run: ({ dataClass }) => ({
          // biome-ignore lint/suspicious/noThenProperty: what query builders do.
          then(resolve: (value: number) => void) {
            dataClass.insert({ ID: `ran ${dataClass.all().count}` })
            resolve(dataClass.all().count)
          },
        }),
      },
      login: {
        on: 'dataClass',
        exposed: true,
        run: () => loggedIn({ ID: '1', userName: 'x', fullName: 'X', groups: [] }),
      },
      odd: {
        on: 'dataClass',
        exposed: true,
        run: () => JSON.parse('{"__proto__":{"is":1}}') as object,
      },
      hidden: { on: 'dataClass', run: () => 1 },
      ofSelection: { on: 'selection', exposed: true, run: () => 1 },
    },
  },
)
export const TILL = { name: 'till', dataClasses: [Invoice, ReplicaState] as const }

export function createTill(options: Partial<RestOptions> = {}) {
  const store = createDataStore(TILL)
  store.Invoice.insert({ ID: 'a' })
  return { store, rest: createRestHandler(store, { replicas: true, ...options }) }
}

export async function openedTill(
  { rest }: Pick<ReturnType<typeof createTill>, 'rest'>,
  more: { readonly [option: string]: unknown } = {},
) {
  const link = linkTo(rest)
  const errors: unknown[] = []
  const replica = await replicate(link.db, {
    dataClasses: [Invoice],
    shapes: { Invoice: true },
    pauses: PAUSES,
    onError: (error) => errors.push(error),
    ...more,
  })
  return { ...link, replica, errors }
}
