import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler } from '@entia/rest'

const Note = defineDataClass('Note', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  text: attribute.string(),
})
const store = createDataStore({ name: 'notes', dataClasses: [Note] })
const rest = createRestHandler(store, {
  plain: true,
  live: {},
  slow: { milliseconds: 1000, report: () => undefined },
  users: [{ name: 'ada', password: 'secret' }],
  authorize: ({ user, action }) => action === 'describe' || user !== null,
})

export default { fetch: rest.fetch }
