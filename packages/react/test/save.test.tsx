// @vitest-environment happy-dom
import type { AnyDataStore } from '@entia/core'
import { act, cleanup, renderHook } from '@testing-library/react'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runs } from '../../core/test/runs.ts'
import { useSave } from '../src/use-save.ts'
import { openServer } from './server.ts'

let server: ReturnType<typeof openServer>
beforeEach(() => {
  server = openServer()
})
afterEach(cleanup)

/** Ng, and the hook for it. `rerender` passes what a live query would have. */
async function open() {
  const { db, store } = server
  const read = async () => (await db.Employee.get(1))!
  const ng = await read()
  const hook = renderHook((employee: typeof ng) => useSave(db.Employee, employee), {
    initialProps: ng,
  })
  return { store, read, ng, hook, saving: () => hook.result.current }
}
const commits = (store: AnyDataStore) => store.globalStamp

test('a saved value is shown at once, and stays until the live query has it', async () => {
  const { hook, saving, read, ng } = await open()
  expect(saving().shown).toBe(ng)
  let done: Promise<unknown> | undefined
  act(() => {
    done = saving().save({ salary: 71_000 })
  })
  expect([saving().shown.salary, saving().isSaving]).toEqual([71_000, true])
  await act(async () => expect(await done).toMatchObject({ kind: 'saved' }))
  expect([saving().shown.salary, saving().isSaving, saving().shown.stamp]).toEqual([
    71_000,
    false,
    2,
  ])
  hook.rerender({ ...ng })
  expect(saving().shown.salary).toBe(71_000)
  const now = await read()
  hook.rerender(now)
  expect(saving().shown).toBe(now)
})

test('saves follow each other, so that quick ones do not conflict', async () => {
  const { saving, store, ng } = await open()
  const before = commits(store)
  let all: Promise<readonly { readonly kind: string }[]> | undefined
  act(() => {
    const { save } = saving()
    all = Promise.all([save({ salary: 1 }), save({ lastName: 'Ngo' }, ng), save({ salary: 2 })])
  })
  expect(saving().shown).toMatchObject({ lastName: 'Ngo', salary: 2 })
  await act(async () =>
    expect((await all)?.map(({ kind }) => kind)).toEqual(['saved', 'saved', 'saved']),
  )
  expect(store.Employee.get(1)).toMatchObject({ lastName: 'Ngo', salary: 2, stamp: 4 })
  expect(commits(store) - before).toBe(3)
})

test("a conflict shows the other's state, and can be retried or dismissed", async () => {
  const { saving, store, ng } = await open()
  store.Employee.update(1, { salary: 80_000 })
  await act(async () => {
    await saving().save({ salary: 71_000 }, ng)
  })
  expect(saving().problem).toMatchObject({
    patch: { salary: 71_000 },
    outcome: { kind: 'stampChanged', current: { salary: 80_000 } },
  })
  expect(saving().shown.salary).toBe(80_000)
  await act(async () => {
    await saving().retry()
  })
  expect([saving().problem, saving().shown.salary]).toEqual([null, 71_000])
  expect(store.Employee.get(1)?.salary).toBe(71_000)

  store.Employee.update(1, { salary: 90_000 })
  await act(async () => {
    await saving().save({ salary: 72_000 })
  })
  act(() => saving().dismiss())
  expect([saving().problem, saving().shown.salary]).toEqual([null, 90_000])
})

test('a save without an answer is reported as a problem, and its value is not shown', async () => {
  const { saving } = await open()
  server.stop()
  await act(async () => {
    await saving().save({ salary: 71_000 })
  })
  expect(saving().problem?.outcome).toMatchObject({ kind: 'failed', error: { status: 0 } })
  expect([saving().shown.salary, saving().isSaving]).toEqual([70_000, false])
  server.start()
  await act(async () => {
    await saving().retry()
  })
  expect([saving().problem, saving().shown.salary]).toEqual([null, 71_000])
  expect(await saving().retry()).toBe(null)
})

test('an entity inserted with the key of a removed one in one transaction is shown, and saved', async () => {
  const { hook, saving, store, read } = await open()
  await act(async () => {
    await saving().save({ salary: 71_000 })
  })
  store.transact((tx) => {
    tx.Employee.remove(1)
    tx.Employee.insert({ ID: 1, lastName: 'New', salary: 5 })
  })
  const fresh = await read()
  expect(fresh.stamp).toBe(1)
  hook.rerender(fresh)
  expect(saving().shown).toBe(fresh)
  await act(async () => {
    expect(await saving().save({ salary: 6 })).toMatchObject({ kind: 'saved' })
  })
  expect(saving().shown).toMatchObject({ lastName: 'New', salary: 6 })
})

test('a removed entity, and one with the same key, hide the saved state', async () => {
  const { hook, saving, store, read } = await open()
  store.Employee.update(1, { salary: 60_000 })
  hook.rerender(await read())
  await act(async () => {
    await saving().save({ salary: 71_000 })
  })
  store.Employee.remove(1)
  store.Employee.insert({ ID: 1, lastName: 'New', salary: 5 })
  const fresh = await read()
  hook.rerender(fresh)
  expect(saving().shown).toBe(fresh)
})

const step = fc.record({
  kind: fc.constantFrom('save', 'save', 'changeByOther', 'replace', 'replaceAndChange', 'live'),
  changes: fc.nat(3),
  wait: fc.boolean(),
})

test('once the live query has caught up, its entity is shown, whatever others did to the key', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      server = openServer()
      const { hook, saving, store, read } = await open()
      const pending: Promise<unknown>[] = []
      let salary = 1
      for (const { kind, changes, wait } of steps) {
        if (kind === 'save')
          act(() => {
            pending.push(saving().save({ salary: 100_000 + salary++ }))
          })
        else if (kind === 'live') hook.rerender(await read())
        else {
          store.transact((tx) => {
            if (kind !== 'changeByOther') {
              tx.Employee.remove(1)
              tx.Employee.insert({ ID: 1, lastName: 'New', salary: salary++ })
            }
          })
          for (let each = 0; kind !== 'replace' && each <= changes; each++)
            store.Employee.update(1, { salary: salary++ })
        }
        if (wait) await act(async () => void (await Promise.all(pending)))
      }
      await act(async () => void (await Promise.all(pending)))
      const last = await read()
      hook.rerender(last)
      expect(saving().shown).toBe(last)
      cleanup()
    }),
    runs(60),
  )
})
