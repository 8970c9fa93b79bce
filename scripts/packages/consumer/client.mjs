// The client sends requests to its own server over a socket.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { createRestHandler, toNodeHandler } from '@entia/rest'

const Person = defineDataClass('Person', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ notNull: true }),
  age: attribute.long({ indexed: true }),
})
const store = createDataStore({ name: 'people', dataClasses: [Person] })
store.Person.load(Array.from({ length: 250 }, (_, i) => ({ name: `P${i}`, age: i % 50 })))
const server = createServer(toNodeHandler(createRestHandler(store)))
await once(server.listen(0, '127.0.0.1'), 'listening')
const address = server.address()
assert(address !== null && typeof address !== 'string')
const remote = connect(`http://127.0.0.1:${address.port}/rest`)
// JavaScript cannot pass the type argument; TypeScript writes connect<typeof store>(…).
const db = /** @type {ReturnType<typeof connect<typeof store>>} */ (/** @type {unknown} */ (remote))

const old = db.Person.query`age >= ${25}`.orderBy('age desc, ID')
assert.equal(await old.count(), 125)
const names = []
for await (const { name } of old) names.push(name)
assert.equal(names.length, 125)
assert.equal(names[0], 'P49')
const first = await db.Person.get(1)
assert(first !== undefined)
store.Person.update(1, { age: 7 })
assert.equal((await db.Person.update(first, { age: 8 })).kind, 'stampChanged')
server.closeAllConnections()
server.close()
console.log(`met ${names.length} people`)
