import {
  aggregates,
  attribute,
  createStore,
  defineDataClass,
  liveQueries,
} from '@entia/core/kernel'
import { compilesWebAssembly } from './browser-program.ts'

export { compilesWebAssembly }

const Task = defineDataClass('Task', {
  ID: attribute.long({ key: true, autoSequence: true }),
  title: attribute.string({ notNull: true, indexed: true }),
  hours: attribute.number({ indexed: true }),
  done: attribute.bool({ default: false }),
})

/** Uses a store of two capabilities, in a page and in Node with equal results. */
export function run() {
  const store = createStore({
    name: 'tasks',
    dataClasses: [Task],
    capabilities: [aggregates, liveQueries],
  })
  const deltas: unknown[] = []
  const open = store.Task.query('done = false and hours > :1', [1]).orderBy('hours desc')
  const live = open.live(
    ({ entered, left }) => void deltas.push([entered.map(({ title }) => title), left]),
  )
  store.transact((tx) => {
    for (const [title, hours] of [
      ['Write', 3] as const,
      ['Read', 1] as const,
      ['Test', 2] as const,
    ])
      tx.Task.insert({ title, hours })
  })
  store.Task.update(1, { done: true })
  live.stop()
  const all = store.Task.all().orderBy('title')
  return {
    deltas,
    titles: all.toArray().map(({ title }) => title),
    hours: all.sum('hours'),
    longest: store.Task.query('title begin :1', ['Te']).max('hours'),
    members: ['select', 'explain', 'texts'].filter((member) => member in all),
  }
}
