import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '@entia/client'
import { attribute, createDataStore, defineDataClass } from '@entia/core'
import { replicate } from '@entia/replica'
import { ReplicaState } from '@entia/rest'

const Note = defineDataClass('Note', {
  ID: attribute.uuid({ key: true, autoSequence: true }),
  text: attribute.string(),
})

/** Changes of the server, and of the replica. */
const CHANGES = 20
/** The most milliseconds from a commit to the replica: a proxy that collects lines takes longer. */
const MOST = 1000
/** Milliseconds without a change: a proxy must pass on the empty lines meanwhile. */
const QUIET = 3000

export function createNotes() {
  const store = createDataStore({ name: 'notes', dataClasses: [Note, ReplicaState] })
  for (let at = 0; at < 5000; at++) store.Note.insert({ text: `note ${at}` })
  return store
}

/**
 * A replica of a store behind a proxy: its first contents, changes of both sides one at a time, and
 * one after a pause. Returns what is wrong.
 * @param {ReturnType<typeof createNotes>} store
 * @param {string} address
 * @returns {Promise<readonly string[]>}
 */
export async function replicaThrough(store, address) {
  /** @type {string[]} */
  const problems = []
  /** @type {unknown[]} */
  const errors = []
  const replica = await replicate(connect(address), {
    dataClasses: [Note],
    shapes: { Note: true },
    onError: (error) => errors.push(error),
  })
  /** @param {string} what @param {() => boolean} isThere */
  const expect = async (what, isThere) => {
    const from = performance.now()
    while (!isThere() && performance.now() - from < MOST) await delay(1)
    if (!isThere()) problems.push(`${what} is not there after ${MOST} ms`)
  }
  try {
    if (replica.store.Note.all().count !== store.Note.all().count)
      problems.push('the first contents are not those of the server')
    for (let at = 0; at < CHANGES; at++) {
      const { ID } = store.Note.insert({ text: 'from the server' })
      await expect('a change of the server', () => replica.store.Note.get(ID) !== undefined)
      const sent = await replica.transact((tx) => tx.Note.insert({ text: 'from here' }).ID)
      await expect('a change of the replica', () => store.Note.get(sent.result) !== undefined)
    }
    await delay(QUIET)
    const { ID } = store.Note.insert({ text: 'after a pause' })
    await expect('a change after a pause', () => replica.store.Note.get(ID) !== undefined)
    const { state } = replica
    if (state !== 'current') problems.push(`the replica is ${state}`)
    problems.push(...errors.map(String))
  } finally {
    await replica.close()
  }
  return problems
}
