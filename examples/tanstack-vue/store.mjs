import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Task = defineDataClass('Task', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ notNull: true }),
  rank: attribute.number({ indexed: true }),
  done: attribute.bool({ default: false }),
})

/** Three tasks, one of them done. */
export function createStore() {
  const store = createDataStore({ name: 'tasks', dataClasses: [Task] })
  store.Task.load([
    { title: 'Write', rank: 2 },
    { title: 'Read', rank: 1 },
    { title: 'Rest', rank: 3, done: true },
  ])
  return store
}
