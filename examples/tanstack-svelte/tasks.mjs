import { connect } from '@entia/client'
import { entiaCollectionOptions } from '@entia/tanstack-db'
import { createCollection } from '@tanstack/svelte-db'

/**
 * The tasks of a server.
 * @param {string} address
 * @param {import('@entia/client').ConnectOptions} [options]
 */
export function createTasks(address, options) {
  const db = connect(address, options)
  return createCollection(entiaCollectionOptions({ dataClass: db.Task, key: 'ID' }))
}
