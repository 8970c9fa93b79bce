import { attribute, createDataStore, defineDataClass } from '@entia/core'

const Note = defineDataClass(
  'Note',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    text: attribute.string({ notNull: true }),
    owner: attribute.string({ indexed: true }),
  },
  {
    hooks: {
      // The session is the one of the user whom `identify` returned.
      beforeSave(note, { session, before }) {
        if (before === null && session !== null) note.owner = session.user?.ID ?? null
      },
    },
  },
)

/** Two notes of ada and one of bob. */
export function createStore() {
  const store = createDataStore({ name: 'notes', dataClasses: [Note] })
  store.Note.insert({ text: 'Order brass', owner: 'ada' })
  store.Note.insert({ text: 'Write to Menabrea', owner: 'ada' })
  store.Note.insert({ text: 'Buy cards', owner: 'bob' })
  return store
}
