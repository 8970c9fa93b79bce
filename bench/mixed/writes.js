// The writes of the matrix. Each keeps the size of the store.

import { makeEmployee, pick } from '../data.js'

const anyId = ({ random, size }) => 1 + Math.floor(random() * size)

/**
 * By name; each performs one write.
 * @type {Record<string, (context: import('./context.js').Context) => unknown>}
 */
export const writes = {
  'update of an index': (context) =>
    context.E.update(anyId(context), { salary: 1000 + Math.floor(context.random() * 199_000) }),
  'update of a word': (context) =>
    context.E.update(anyId(context), { lastName: pick(context.random, context.lastNames) }),
  'update of a new word': (context) =>
    context.E.update(anyId(context), { lastName: `Xa${context.next() % 100}` }),
  'update of no index': (context) =>
    context.E.update(anyId(context), {
      active: context.random() < 0.5,
      birthDate: pick(context.random, context.days),
    }),
  'update of a relation': (context) =>
    context.E.update(anyId(context), { company: 1 + Math.floor(context.random() * 10_000) }),
  'update of another dataclass': (context) =>
    context.store.Company.update(1 + Math.floor(context.random() * 10_000), {
      revenue: context.next(),
    }),
  'insert and remove': (context) => {
    const { E } = context
    const key = context.freshKey()
    E.insert({ ...makeEmployee(key, context.random, context.vocabulary), email: `m${key}@x` })
    E.remove(key)
  },
  'remove and insert': (context) => {
    const { E, random } = context
    const key = anyId(context)
    E.remove(key)
    E.insert({
      ...makeEmployee(key, random, context.vocabulary),
      email: `r${key}.${context.next()}@x`,
    })
  },
  'transact of ten': (context) =>
    context.store.transact((tx) => {
      for (let i = 0; i < 10; i++)
        tx.Employee.update(anyId(context), {
          salary: 1000 + Math.floor(context.random() * 199_000),
        })
    }),
  'updateAll of 1000': (context) => {
    const keys = new Set()
    while (keys.size < 1000) keys.add(anyId(context))
    context.E.updateAll(
      [...keys].map((key) => ({
        key,
        patch: { salary: 1000 + Math.floor(context.random() * 199_000) },
      })),
    )
  },
  'failed transaction': (context) => {
    try {
      context.store.transact((tx) => {
        for (let i = 0; i < 3; i++) tx.Employee.update(anyId(context), { salary: context.next() })
        throw new Error('undone')
      })
    } catch (error) {
      if (error.message !== 'undone') throw error
    }
  },
  'write and restore': (context) => {
    const snapshot = context.store.snapshot()
    for (let i = 0; i < 5; i++)
      context.E.update(anyId(context), { salary: context.next() % 200_000 })
    context.store.restore(snapshot)
    snapshot.dispose()
  },
}
