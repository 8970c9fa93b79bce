import { connect } from '@entia/client'
import { openBrowserJournal } from '@entia/core/browser'
import { replicate } from '@entia/replica'
import { dataClasses } from '../model.mjs'
import type { createOffice } from '../office.mjs'

const db = connect<ReturnType<typeof createOffice>>('/rest')

/** Ann's visits, with their customers, notes and photos. */
export const replica = await replicate(db, {
  dataClasses,
  shapes: {
    Visit: { filter: "technician === 'ann'", with: ['customer', 'notes', 'photos'] },
  },
  keep: (store, tab) => openBrowserJournal(store, 'field', tab),
})

export const plan = () => replica.store.Visit.query("technician === 'ann'").orderBy('hour')

type Visit = NonNullable<ReturnType<typeof replica.store.Visit.get>>

export const addNote = (visit: Visit, text: string) =>
  replica.transact((tx) => void tx.Note.insert({ text, visit: visit.ID }))
export const addPhoto = (visit: Visit, dataUrl: string) =>
  replica.transact((tx) => void tx.Photo.insert({ dataUrl, visit: visit.ID }))
export const move = (visit: Visit, hour: number) =>
  replica.transact((tx) => void tx.Visit.update(visit.ID, { hour }))
export const finish = (visit: Visit) => replica.callOn('Visit', visit.ID, 'finish')
