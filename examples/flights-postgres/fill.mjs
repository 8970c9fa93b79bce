// Creates the tables, and copies the flights into them once.
import { isEntiaError } from '@entia/core'
import { createFlights } from '@entia/example-flights/flights.mjs'
import { copyStore, migrateDatabase } from '@entia/sql'
import { database, options } from './store.mjs'

for (const step of await migrateDatabase(options)) console.log(step)
try {
  console.log(`${await copyStore(createFlights(), options)} entities copied`)
} catch (error) {
  if (!isEntiaError(error, 'databaseDiffers')) throw error
  console.log(error.message) // the flights are there already
} finally {
  await database.close()
}
