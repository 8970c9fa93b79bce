import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, ReplicaState, type RestOptions } from '@entia/rest'
import { replicate } from '../src/index.ts'
import { linkTo, PAUSES } from './office.ts'

const Order = defineDataClass('Order', {
  ID: attribute.long({ key: true, autoSequence: true }),
  text: attribute.string({ indexed: true }),
})
const Note = defineDataClass('Note', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
})
const CLASSES = [Order, Note] as const
const SHAPES = { Order: true, Note: true } as const
export const SHOP = { name: 'shop', dataClasses: [Order, Note, ReplicaState] as const }

export function createShop(options: Partial<RestOptions> = {}) {
  const store = createDataStore(SHOP)
  return { store, rest: createRestHandler(store, { replicas: true, ...options }) }
}

export async function opened(
  { rest }: Pick<ReturnType<typeof createShop>, 'rest'>,
  size: number,
  {
    isUp = true,
    lost = 0,
    ...more
  }: { readonly isUp?: boolean; readonly lost?: number; readonly [option: string]: unknown } = {},
) {
  const link = linkTo(rest)
  if (!isUp) link.cut()
  link.wire.lost = lost
  const errors: unknown[] = []
  const replica = await replicate(link.db, {
    dataClasses: CLASSES,
    shapes: SHAPES,
    lease: { Order: size },
    pauses: PAUSES,
    onError: (error) => errors.push(error),
    ...more,
  })
  const add = (text: string) => replica.transact((tx) => tx.Order.insert({ text }).ID)
  return { ...link, replica, errors, add }
}
