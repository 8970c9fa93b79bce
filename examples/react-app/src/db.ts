import { connect } from '@entia/client'
import type { createStore } from '../store.mjs'

/** The store on the server. Only its type is imported. */
export const db = connect<ReturnType<typeof createStore>>('/rest')

/** Everyone, the best paid first, with the name of the team. */
export const staff = () => db.Person.all().orderBy('salary desc, name')
export const teams = () => db.Team.all().orderBy('name')
