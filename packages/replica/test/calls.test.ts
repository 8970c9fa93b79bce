import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AnyDataStore,
  attribute,
  createDataStore,
  defineDataClass,
  openDump,
} from '@entia/core'
import { openBrowserJournal } from '@entia/core/browser'
import { openJournal } from '@entia/core/node'
import { createRestHandler } from '@entia/rest'
import fc from 'fast-check'
import { expect, expectTypeOf, test } from 'vitest'
import { MemoryBrowser } from '../../core/test/browser/memory-browser.ts'
import { patience, runs } from '../../core/test/runs.ts'
import type { Called, CallOutcome, Outcome, Problem, Replica, TabOptions } from '../src/index.ts'
import { createTill, gates, openedTill, TILL } from './till.ts'
import { until } from './waiting.ts'

const ANN = { identify: () => ({ ID: 'ann', userName: 'ann', fullName: 'Ann' }) }

test('a function is decided in its place among the changes, and its result is the outcome', async () => {
  const till = createTill()
  const { replica, cut, connect } = await openedTill(till)
  await replica.current()
  cut()
  await replica.transact((tx) => tx.Invoice.update('a', { amount: 50 }))
  const pay = await replica.callOn('Invoice', 'a', 'pay', 20)
  await replica.transact((tx) => tx.Invoice.update('a', { note: 'part' }))
  const total = await replica.call('Invoice', 'total')
  expectTypeOf(pay.outcome).toEqualTypeOf<
    Promise<CallOutcome<{ readonly left: number; readonly at: string }>>
  >()
  expectTypeOf(total.outcome).toEqualTypeOf<Promise<CallOutcome<number>>>()
  expect([replica.waiting.count, replica.store.Invoice.get('a')?.paid]).toEqual([4, 0])
  connect()
  expect(await pay.outcome).toMatchObject({
    kind: 'applied',
    result: { left: 30, at: '1970-01-01T00:00:00.000Z' },
  })
  expect(await total.outcome).toMatchObject({ kind: 'applied', result: 20 })
  await replica.current()
  expect(replica.store.Invoice.get('a')).toMatchObject({ amount: 50, paid: 20, note: 'part' })
  await replica.close()
})

test('an answer that is lost does not call a function again, and brings the same result', async () => {
  const till = createTill()
  const { replica, wire } = await openedTill(till)
  await replica.current()
  wire.lost = 2
  const pay = await replica.callOn('Invoice', 'a', 'pay', 20)
  expect(await pay.outcome).toMatchObject({ result: { left: 80 } })
  await replica.current()
  expect(till.store.Invoice.get('a')?.paid).toBe(20)
  await replica.close()
})

test('a call that is refused is rolled back, holds what was made after it for its entity, and can be sent again', async () => {
  const till = createTill()
  const { replica, cut, connect } = await openedTill(till)
  await replica.current()
  cut()
  const much = await replica.callOn('Invoice', 'a', 'pay', 120)
  const next = await replica.callOn('Invoice', 'a', 'pay', 30)
  const noted = await replica.transact((tx) => tx.Invoice.update('a', { note: 'all' }))
  const other = await replica.transact((tx) => tx.Invoice.insert({ ID: 'b' }))
  connect()
  expect(await much.outcome).toMatchObject({
    kind: 'problem',
    problem: {
      call: { dataClass: 'Invoice', key: 'a', name: 'pay', args: [120] },
      errors: [{ errCode: 10_001, message: 'paid too much' }],
    },
  })
  for (const held of [next, noted])
    expect(await held.outcome).toMatchObject({
      kind: 'problem',
      problem: { errors: [{ code: 'callRefused', message: expect.stringContaining('pay') }] },
    })
  expect((await other.outcome).kind).toBe('applied')
  expect(till.store.Invoice.get('a')).toMatchObject({ paid: 0, note: null })
  till.store.Invoice.update('a', { amount: 200 })
  expect(await replica.solve(much.number, 'mine')).toMatchObject({ result: { left: 80 } })
  expect(await replica.solve(next.number, 'theirs')).toMatchObject({ kind: 'applied' })
  expect((await replica.solve(noted.number, 'mine')).kind).toBe('applied')
  await replica.current()
  expect(replica.problems.count).toBe(0)
  expect(replica.store.Invoice.get('a')).toMatchObject({ paid: 120, note: 'all' })
  await replica.close()
})

test('a call is kept on the device, and what its entity needs comes before it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-calls-'))
  const till = createTill()
  const keep = (store: AnyDataStore) => openJournal(store, folder)
  const first = await openedTill(till, { keep })
  await first.replica.current()
  first.cut()
  await first.replica.transact((tx) => tx.Invoice.insert({ ID: 'new' }))
  const pay = await first.replica.callOn('Invoice', 'new', 'pay', 7)
  const much = await first.replica.callOn('Invoice', 'new', 'pay', 700)
  await first.replica.close()
  const second = await openedTill(till, { keep })
  await second.replica.current()
  // What became of it: it neither waits nor is a problem.
  expect(second.replica.waiting.count).toBe(0)
  expect(second.replica.problem(pay.number)).toBeUndefined()
  expect(second.replica.problem(much.number)?.call).toMatchObject({ name: 'pay', args: [700] })
  expect(second.replica.problems.count).toBe(1)
  expect(second.replica.store.Invoice.get('new')?.paid).toBe(7)
  expect(resultsOf(second.replica)).toMatchObject([[pay.number, 'pay', { left: 93 }]])
  const self = await second.replica.callOn('Invoice', 'new', 'self')
  // The program takes the result of its own call at once, before its effects are here, too.
  expect(await self.outcome).toMatchObject({ result: 'new' })
  await second.replica.dismiss(self)
  await second.replica.solve(much.number, 'theirs')
  const total = await second.replica.call('Invoice', 'total')
  expect(await total.outcome).toMatchObject({ result: 7 })
  await second.replica.current()
  await second.replica.close()
  const third = await openedTill(till, { keep })
  expect(resultsOf(third.replica)).toMatchObject([
    [pay.number, 'pay', { left: 93 }],
    [total.number, 'total', 7],
  ])
  await third.replica.dismiss(pay.number)
  await expect(third.replica.dismiss(pay.number)).rejects.toThrow(`no result ${pay.number}`)
  await expect(third.replica.dismiss(much.number)).rejects.toThrow(TypeError)
  // Results are no transactions that would be lost.
  await third.replica.current()
  expect(resultsOf(third.replica)).toHaveLength(1)
  await third.replica.forget()
  const fourth = await openedTill(till, { keep })
  expect(resultsOf(fourth.replica)).toEqual([])
  await fourth.replica.close()
  await rm(folder, { recursive: true })
})

const resultsOf = ({ results }: Pick<Replica, 'results'>): readonly unknown[] =>
  [...(results as Iterable<object>)].map((entity) => {
    const { number, call, result } = entity as {
      number: number
      call: { name: string } | null
      result: { value: unknown } | null
    }
    return [number, call?.name, result?.value]
  })

test('the newest results are kept, as many as fit', async () => {
  const { replica } = await openedTill(createTill())
  const call = async (name: 'total' | 'long', ...args: [] | [number]): Promise<number> => {
    const { number, outcome } = await (
      replica.call as (...given: unknown[]) => Promise<Called<unknown>>
    )('Invoice', name, ...args)
    expect((await outcome).kind).toBe('applied')
    return number
  }
  const numbers: number[] = []
  for (let at = 0; at < 103; at++) numbers.push(await call('total'))
  await replica.current()
  expect(replica.results.keys()).toEqual(numbers.slice(3))
  const [a, b, c] = [await call('long', 600_000), await call('long', 300_000), await call('total')]
  await replica.current()
  expect(replica.results.keys()).toEqual([...numbers.slice(6), a, b, c])
  const tooLong = await call('long', 1_000_000)
  const d = await call('long', 300_000)
  await replica.current()
  const kept = replica.results.keys()
  expect(kept.slice(-3)).toEqual([b, c, d])
  // Smaller ones fit.
  for (const number of [a, tooLong]) expect(kept).not.toContain(number)
  expect(kept).toContain(numbers[10])
  await replica.close()
})

test('nothing is sent, and no outcome is forgotten, before the journal has what is here', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'entia-calls-'))
  const till = createTill()
  let isSlow = false
  let waiting: (() => void)[] = []
  const { replica, wire } = await openedTill(till, {
    keep: async (store: AnyDataStore) => {
      const journal = await openJournal(store, folder)
      const flush = async (): Promise<void> => {
        if (isSlow) await new Promise<void>((resolve) => waiting.push(resolve))
        return journal.flush()
      }
      return { flush, compact: () => journal.compact(), close: () => journal.close() }
    },
  })
  await replica.current()
  const state = () => JSON.stringify(till.store.dataClass('ReplicaState' as never).all())
  isSlow = true
  void replica.callOn('Invoice', 'a', 'pay', 1)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect([state(), wire.isUp]).toEqual(['[]', true])
  isSlow = false
  for (const go of waiting) go()
  await until(() => state().includes('"last":1,'))
  await until(() => replica.results.count === 1)
  // The next request says that the outcome has arrived.
  waiting = []
  isSlow = true
  void replica.callOn('Invoice', 'a', 'pay', 1)
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(state()).toContain('"left":99')
  isSlow = false
  for (const go of waiting) go()
  await until(() => state().includes('"last":2,'))
  expect(state()).not.toContain('"left":99')
  await replica.current()
  await replica.close()
  await rm(folder, { recursive: true })
})

test('entities and selections of a result are keys that the caller may see', async () => {
  const till = createTill({
    ...ANN,
    authorize: ({ action, attribute }) =>
      action === 'read' && attribute === undefined ? 'ID != secret' : true,
  })
  for (const ID of ['b', 'secret']) till.store.Invoice.insert({ ID })
  const { replica } = await openedTill(till)
  const self = await replica.callOn('Invoice', 'a', 'self')
  expectTypeOf(self.outcome).toEqualTypeOf<Promise<CallOutcome<string>>>()
  expect(await self.outcome).toMatchObject({ result: 'a' })
  const open = await replica.call('Invoice', 'open')
  expectTypeOf(open.outcome).toEqualTypeOf<
    Promise<CallOutcome<{ readonly found: readonly string[] }>>
  >()
  expect(await open.outcome).toMatchObject({ result: { found: ['a', 'b'] } })
  const hidden = await replica.callOn('Invoice', 'secret', 'self')
  expect(await hidden.outcome).toMatchObject({
    problem: { errors: [{ code: 'entityNotFound' }] },
  })
  await replica.close()
})

test('an entity is an argument by its key, and the function gets it as the server has it', async () => {
  const till = createTill()
  const { replica, cut, connect } = await openedTill(till)
  await replica.current()
  cut()
  const made = await replica.transact((tx) => tx.Invoice.insert({ ID: 'n', amount: 5 }))
  await replica.transact((tx) => tx.Invoice.update('n', { amount: 7 }))
  const sent = await replica.callOn('Invoice', 'a', 'payAs', made.result)
  expectTypeOf(sent.outcome).toEqualTypeOf<
    Promise<
      CallOutcome<{
        readonly as: string | number
        readonly amount: number
        readonly note: string | null
      }>
    >
  >()
  // What is made after the call does not depend on its outcome.
  await replica.transact((tx) => tx.Invoice.update('n', { note: 'later' }))
  const again = await replica.callOn('Invoice', 'n', 'payAs', replica.store.Invoice.get('a')!)
  expect(till.store.Invoice.has('n')).toBe(false)
  connect()
  expect(await sent.outcome).toMatchObject({ result: { as: 'n', amount: 7, note: null } })
  expect(await again.outcome).toMatchObject({ result: { as: 'a', amount: 100 } })
  expect(till.store.Invoice.get('a')).toMatchObject({ paid: 7 })
  await replica.close()
})

test('a function is not called with the entity of somebody else whose key a refused insertion has', async () => {
  const till = createTill()
  const { replica, cut, connect } = await openedTill(till)
  await replica.current()
  cut()
  const made = await replica.transact((tx) => tx.Invoice.insert({ ID: 'n', amount: 5 }))
  const sent = await replica.callOn('Invoice', 'a', 'payAs', made.result)
  till.store.Invoice.insert({ ID: 'n', amount: 70 })
  connect()
  expect((await made.outcome).kind).toBe('problem')
  expect(await sent.outcome).toMatchObject({ problem: { errors: [{ code: 'callRefused' }] } })
  expect(till.store.Invoice.get('a')?.paid).toBe(0)
  await replica.solve(made.number, 'theirs')
  // Now the user knows which one it is.
  expect(await replica.solve(sent.number, 'mine')).toMatchObject({ result: { amount: 70 } })
  await replica.close()
})

test('an argument that was removed, or that the caller may not see, is a problem that names it', async () => {
  const till = createTill({
    ...ANN,
    authorize: ({ action, attribute }) =>
      action === 'read' && attribute === undefined ? 'ID != secret' : true,
  })
  till.store.Invoice.insert({ ID: 'b' })
  till.store.Invoice.insert({ ID: 'secret', amount: 7 })
  const { replica, cut, connect } = await openedTill(till)
  await replica.current()
  const problem = {
    kind: 'problem',
    problem: {
      errors: [
        {
          code: 'functionParameterInvalid',
          message: expect.stringMatching(
            /^Parameter 1 of function "payAs" cannot be used: Cannot find/,
          ),
        },
        { code: 'entityNotFound' },
      ],
    },
  }
  const secret = await replica.callOn('Invoice', 'a', 'payAs', till.store.Invoice.get('secret')!)
  expect(await secret.outcome).toMatchObject(problem)
  cut()
  const sent = await replica.callOn('Invoice', 'a', 'payAs', replica.store.Invoice.get('b')!)
  till.store.Invoice.remove('b')
  connect()
  expect(await sent.outcome).toMatchObject(problem)
  expect(replica.problem(sent.number)?.call?.args).toEqual([
    { __ENTITY: true, __DATACLASS: 'Invoice', __KEY: 'b' },
  ])
  // @ts-expect-error: a selection cannot be sent.
  await expect(replica.call('Invoice', 'count', replica.store.Invoice.all())).rejects.toThrow()
  await replica.close()
})

test('a function that works on something else is refused with how a replica calls it', async () => {
  const { replica } = await openedTill(createTill())
  const call = replica.call as (...given: readonly unknown[]) => ReturnType<typeof replica.call>
  const callOn = replica.callOn as typeof call
  const messages = []
  for (const { outcome } of [
    await call('Invoice', 'pay'),
    await callOn('Invoice', 'a', 'total'),
    await call('Invoice', 'ofSelection'),
  ])
    messages.push(((await outcome) as { problem: Problem }).problem.errors[0]?.message)
  const where = 'The "Invoice" dataclass, for this call of a replica, has no function'
  expect(messages).toEqual([
    `${where} "pay". It works on one entity: callOn('Invoice', key, 'pay').`,
    `${where} "total". It works on the dataclass: call('Invoice', 'total').`,
    `${where} "ofSelection". It works on a selection, which a replica cannot send: call it through the client, or write a function of the dataclass that takes keys.`,
  ])
  await replica.close()
})

test.each([
  ['Invoice', null, 'hidden', 'functionNotFound'],
  ['Invoice', null, 'nothing', 'functionNotFound'],
  ['Invoice', 'x', 'self', 'entityNotFound'],
  ['Invoice', null, 'login', 'functionFailed'],
  ['Invoice', null, 'odd', 'functionFailed'],
] as const)('the server refuses %s %s %s as %s', async (dataClass, key, name, code) => {
  const { replica } = await openedTill(createTill())
  const sent = await (key === null
    ? replica.call(dataClass, name as 'total')
    : replica.callOn(dataClass, key, name as 'self'))
  const outcome = await sent.outcome
  expect(outcome).toMatchObject({ problem: { errors: [{ code }] } })
  await replica.close()
})

test('a caller who may not call a function gets a problem, with the permissions of the moment', async () => {
  let mayCall = true
  const till = createTill({
    ...ANN,
    authorize: ({ action }) => action !== 'call' || mayCall,
  })
  const { replica, cut, connect } = await openedTill(till)
  cut()
  const sent = await replica.call('Invoice', 'total')
  mayCall = false
  connect()
  expect(await sent.outcome).toMatchObject({ kind: 'problem' })
  mayCall = true
  expect(await replica.solve(sent.number, 'mine')).toMatchObject({ result: 0 })
  await replica.close()
})

test('the host is asked about the functions that a batch calls, each once, and about no other', async () => {
  const asked: unknown[] = []
  const till = createTill({
    ...ANN,
    authorize: async ({ action, dataClass, functionName }) => {
      if (action === 'call') asked.push(`${dataClass}.${functionName}`)
      return functionName !== 'self'
    },
  })
  const { replica, cut, connect } = await openedTill(till)
  await replica.transact((tx) => tx.Invoice.insert({ ID: 'z' }))
  await replica.current()
  expect(asked).toEqual([])
  cut()
  const call = replica.call as (...given: readonly unknown[]) => ReturnType<typeof replica.call>
  const sent = [
    await replica.call('Invoice', 'total'),
    await replica.call('Invoice', 'total'),
    await replica.callOn('Invoice', 'a', 'self'),
    await call('Invoice', '__proto__'),
  ]
  connect()
  const kinds = (await Promise.all(sent.map(({ outcome }) => outcome))).map(({ kind }) => kind)
  expect(kinds).toEqual(['applied', 'applied', 'problem', 'problem'])
  expect(asked).toEqual(['Invoice.total', 'Invoice.self'])
  await replica.close()
})

test('what cannot be sent is refused here, or is a problem that the server names', async () => {
  const { replica, wire, db } = await openedTill(createTill())
  const ID = attribute.string({ key: true })
  const bad = async (...given: readonly unknown[]): Promise<unknown> =>
    (replica.callOn as (...given: readonly unknown[]) => unknown)(...given)
  await expect(bad('Nothing', 'a', 'pay')).rejects.toThrow('no dataclass "Nothing"')
  await expect(bad('Invoice', {}, 'pay')).rejects.toThrow('pass the key')
  await expect(bad('Invoice', 'a', 7)).rejects.toThrow('a string')
  await expect(bad('Invoice', 'a', 'pay', 1n)).rejects.toThrow(TypeError)
  const { Invoice } = replica.store
  await expect(bad('Invoice', 'a', 'pay', 1, Invoice.all())).rejects.toThrow(
    'Argument 2 of pay is a selection, which a replica cannot send: pass its keys()',
  )
  const other = createDataStore({ name: 'x', dataClasses: [defineDataClass('Other', { ID })] })
  await expect(bad('Invoice', 'a', 'pay', other.Other.insert({ ID: 'x' }))).rejects.toThrow(
    'Argument 1 of pay is an entity of a dataclass that the replica does not have: pass its key',
  )
  for (const given of [db.Invoice.asArgument('a'), db.Invoice.all()])
    await expect(bad('Invoice', 'a', 'pay', given)).rejects.toThrow(
      'Argument 1 of pay is what only the client can send',
    )
  const lost = [
    new Blob(['x']),
    { of: new Map([[1, 1]]) },
    [Number.NaN],
    { of: 1n },
    new Uint8Array(2),
    () => 1,
  ]
  for (const given of lost) {
    await expect(bad('Invoice', 'a', 'pay', given)).rejects.toThrow('which JSON cannot hold')
    await expect(db.Invoice.callOn('a', 'pay' as never, given as never)).rejects.toThrow(
      'which JSON cannot hold',
    )
  }
  const odd: unknown = JSON.parse('{"of":[{"__proto__":{"is":1}}]}')
  await expect(bad('Invoice', 'a', 'pay', odd)).rejects.toThrow(TypeError)
  const circle: unknown[] = []
  circle.push(circle)
  await expect(bad('Invoice', 'a', 'pay', circle)).rejects.toThrow(TypeError)
  expect(replica.waiting.count).toBe(0)
  const deep = JSON.parse(`${'['.repeat(60)}${']'.repeat(60)}`)
  const known = { __ENTITY: true, __DATACLASS: 'Invoice', __KEY: 'a' }
  for (const args of [
    [deep],
    [{ __ENTITY: true }],
    [{ ...known, __STAMP: 1 }],
    [{ ...known, __KEY: null }],
    [{ __ENTITIES: true, __DATASET: 'x' }],
    Array.from({ length: 2000 }, () => 1),
  ]) {
    const sent = (await bad('Invoice', 'a', 'pay', ...args)) as { outcome: Promise<unknown> }
    expect(await sent.outcome).toMatchObject({ kind: 'problem' })
  }
  const half = await replica.call('Invoice', 'half')
  const errors = [{ code: 'functionFailed', message: expect.stringContaining('"half"') }]
  expect(await half.outcome).toMatchObject({ kind: 'problem', problem: { errors } })
  expect(wire.isUp).toBe(true)
  const pay = await replica.callOn('Invoice', 'a', 'pay', 1)
  expect((await pay.outcome).kind).toBe('applied')
  await replica.close()
})

test('a function that returns a promise is awaited once, and what follows waits for it', async () => {
  const failures: unknown[] = []
  const till = createTill({ onError: (error) => failures.push(error) })
  const { replica, wire } = await openedTill(till)
  await replica.current()
  let open = (): void => {}
  gates.set(
    'slow',
    new Promise((resolve) => {
      open = resolve
    }),
  )
  wire.lost = 1
  const slow = await replica.call('Invoice', 'fetchRate', 'slow')
  const after = await replica.transact((tx) => tx.Invoice.insert({ ID: 'z' }))
  await until(() => till.store.Invoice.has('before slow'))
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(till.store.Invoice.has('z')).toBe(false)
  open()
  expect(await slow.outcome).toMatchObject({ kind: 'applied', result: 4 })
  expect((await after.outcome).kind).toBe('applied')
  const no = await replica.call('Invoice', 'fetchRate', 'no')
  const outcome = await no.outcome
  expect(outcome).toMatchObject({ problem: { errors: [{ code: 'functionFailed' }] } })
  expect(JSON.stringify(outcome)).not.toContain('secret')
  expect(failures).toEqual([new TypeError('a secret')])
  expect(till.store.Invoice.has('before no')).toBe(true)
  await replica.close()
})

test('no function is called for the entity of somebody else whose key a refused insertion has', async () => {
  const till = createTill()
  const { replica, cut, connect } = await openedTill(till)
  await replica.current()
  cut()
  const made = await replica.transact((tx) => tx.Invoice.insert({ ID: 'n', amount: 5 }))
  const pay = await replica.callOn('Invoice', 'n', 'pay', 1)
  const linked = await replica.transact((tx) => {
    tx.Invoice.update('n', { note: 'mine' })
    tx.Invoice.insert({ ID: 'o' })
  })
  const last = await replica.callOn('Invoice', 'o', 'pay', 1)
  const other = await replica.callOn('Invoice', 'a', 'pay', 1)
  till.store.Invoice.insert({ ID: 'n', amount: 70 })
  connect()
  expect((await made.outcome).kind).toBe('problem')
  for (const { outcome } of [pay, linked, last])
    expect(await outcome).toMatchObject({ problem: { errors: [{ code: 'callRefused' }] } })
  expect((await other.outcome).kind).toBe('applied')
  expect(till.store.Invoice.get('n')).toMatchObject({ amount: 70, paid: 0, note: null })
  for (const { number } of [made, pay, linked, last]) await replica.solve(number, 'theirs')
  await replica.current()
  expect(till.store.Invoice.all().orderBy('ID').keys()).toEqual(['a', 'n'])
  await replica.close()
})

test('a problem without conflicts takes no values', async () => {
  const { replica } = await openedTill(createTill())
  const much = await replica.callOn('Invoice', 'a', 'pay', 500)
  expect((await much.outcome).kind).toBe('problem')
  await expect(replica.solve(much.number, { sum: 5 })).rejects.toThrow('takes no values')
  expect(replica.problem(much.number)).toBeDefined()
  await replica.solve(much.number, 'theirs')
  await replica.close()
})

test('the session may end while a function runs: its outcome is what it has done', async () => {
  const till = createTill(ANN)
  const { replica } = await openedTill(till)
  await replica.current()
  let open = (): void => {}
  gates.set(
    'logout',
    new Promise((resolve) => {
      open = resolve
    }),
  )
  const sent = await replica.call('Invoice', 'fetchRate', 'logout')
  await until(() => till.store.Invoice.has('before logout'))
  for (const { id } of till.store.sessions.list()) till.store.sessions.end(id)
  open()
  expect(await sent.outcome).toMatchObject({ kind: 'applied', result: 6 })
  expect(till.store.Invoice.has('after logout')).toBe(true)
  await replica.close()
})

test('what a query builder would run is run once', async () => {
  const till = createTill()
  const { replica } = await openedTill(till)
  const call = replica.call as (...given: readonly unknown[]) => ReturnType<typeof replica.call>
  const ran = await call('Invoice', 'lazily')
  expect(await ran.outcome).toMatchObject({ result: 2 })
  expect(till.store.Invoice.all().count).toBe(2)
  await replica.close()
})

test('a function that does not end is a problem after the limit, and what follows is decided', async () => {
  const failures: unknown[] = []
  const till = createTill({
    replicas: { maxCallSeconds: 1 },
    onError: (error) => failures.push(error),
  })
  const { replica, wire, cut, connect } = await openedTill(till)
  await replica.current()
  let open = (): void => {}
  gates.set(
    'no end',
    new Promise((resolve) => {
      open = resolve
    }),
  )
  wire.lost = 1
  cut()
  const sent = await replica.call('Invoice', 'fetchRate', 'no end')
  const after = await replica.transact((tx) => tx.Invoice.insert({ ID: 'z' }))
  connect()
  expect(await sent.outcome).toMatchObject({
    problem: {
      errors: [
        { code: 'functionTimedOut', message: expect.stringMatching(/1 second .*maxCallSeconds/) },
      ],
    },
  })
  expect((await after.outcome).kind).toBe('applied')
  expect(failures).toMatchObject([{ code: 'functionTimedOut' }])
  // What becomes of it later changes no outcome, and nothing is called again.
  open()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(replica.problem(sent.number)?.errors[0]?.code).toBe('functionTimedOut')
  expect(till.store.Invoice.all().orderBy('ID').keys()).toEqual(['a', 'before no end', 'z'])
  await replica.solve(sent.number, 'theirs')
  await replica.close()
})

test('a function that ran while the server stopped is a problem, and not called again', async () => {
  const till = createTill()
  let { rest } = till
  const link = { rest: { fetch: (request: Request) => rest.fetch(request) } as never }
  const { replica, cut, connect } = await openedTill(link)
  await replica.current()
  gates.set('stop', new Promise(() => {}))
  const sent = await replica.call('Invoice', 'fetchRate', 'stop')
  await until(() => till.store.Invoice.has('before stop'))
  const again = openDump(till.store.dump(), TILL)
  cut()
  rest.endStreams()
  rest = createRestHandler(again, { replicas: true })
  connect()
  expect(await sent.outcome).toMatchObject({
    kind: 'problem',
    problem: { errors: [{ code: 'functionInterrupted' }] },
  })
  expect(again.Invoice.all().orderBy('ID').keys()).toEqual(['a', 'before stop'])
  await replica.solve(sent.number, 'theirs')
  await replica.current()
  expect(replica.problems.count).toBe(0)
  await replica.close()
})

const STEPS = ['pay', 'much', 'note', 'new', 'cut', 'connect', 'lose', 'restart', 'wait'] as const
test(
  'each call is made once or is a problem, in its place, whatever is lost and restarted',
  patience,
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...STEPS, 'pay' as const, 'note' as const), { maxLength: 25 }),
        async (steps) => {
          let { store, rest } = createTill()
          let ended = 0
          const fetch = async (request: Request): Promise<Response> => {
            const process = ended
            const answer = await rest.fetch(request)
            if (process !== ended) throw new TypeError('The process has ended.')
            return answer
          }
          const one = await openedTill({ rest: { fetch } as never })
          const sent: {
            readonly does: string
            readonly number: number
            readonly outcome: Promise<Outcome>
          }[] = []
          for (const does of steps) {
            if (does === 'cut') one.cut()
            else if (does === 'connect') one.connect()
            else if (does === 'lose') one.wire.lost++
            else if (does === 'wait') for (let at = 0; at < 5; at++) await turn()
            else if (does === 'restart') {
              ended++
              rest.endStreams()
              store = openDump(store.dump(), TILL)
              rest = createRestHandler(store, { replicas: true })
            } else if (does === 'note') {
              const note = `${sent.length}`
              const { number, outcome } = await one.replica.transact((tx) =>
                tx.Invoice.update('a', { note }),
              )
              sent.push({ does, number, outcome })
            } else if (does === 'new') {
              const ID = `new ${sent.length}`
              const { number, outcome } = await one.replica.transact((tx) =>
                tx.Invoice.insert({ ID, amount: 0 }),
              )
              const entity = one.replica.store.Invoice.get(ID)!
              const call = await one.replica.callOn('Invoice', 'a', 'payAs', entity)
              sent.push({ does: ID, number, outcome }, { ...call, does: 'as' })
            } else {
              const sum = does === 'pay' ? 1 : 1000
              sent.push({ ...(await one.replica.callOn('Invoice', 'a', 'pay', sum)), does })
            }
          }
          one.connect()
          const outcomes = await Promise.all(sent.map(({ outcome }) => outcome))
          await one.replica.current()
          let paid = 0
          for (const [at, outcome] of outcomes.entries()) {
            const { does } = sent[at]!
            if (does === 'much') expect(outcome.kind).toBe('problem')
            else if (outcome.kind === 'problem') {
              // It was made after a call that was refused, and not sent.
              expect(outcome.problem.errors[0]?.code).toBe('callRefused')
              expect(sent.slice(0, at).some((before) => before.does === 'much')).toBe(true)
            } else if (does === 'as')
              expect(outcome.result).toMatchObject({ as: sent[at - 1]!.does })
            else if (does === 'pay') expect(outcome.result).toMatchObject({ left: 100 - ++paid })
          }
          const results = outcomes.flatMap((outcome, at) => {
            const { does, number } = sent[at]!
            const isCall = does === 'pay' || does === 'as'
            return isCall && outcome.kind === 'applied' ? [[number, outcome.result]] : []
          })
          expect(resultsOf(one.replica).map((each) => (each as unknown[]).toSpliced(1, 1))).toEqual(
            results.slice(-100),
          )
          expect(store.Invoice.get('a')?.paid).toBe(paid)
          expect(one.replica.store.Invoice.get('a')?.paid).toBe(paid)
          expect(one.errors).toEqual([])
          await one.replica.close()
        },
      ),
      { ...runs(100), timeout: 60_000 },
    )
  },
)
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a tab that follows calls functions and learns their results', async () => {
  const browser = new MemoryBrowser()
  const till = createTill()
  const open = () => {
    const { ports } = browser.openTab()
    return openedTill(till, {
      keep: (store: AnyDataStore, tab: TabOptions) =>
        openBrowserJournal(store, 'till', { ...tab, onError: () => undefined }, ports),
    })
  }
  const [first, second] = [await open(), await open()]
  await first.replica.current()
  for (let at = 1; at <= 5; at++) {
    const pay = await second.replica.callOn('Invoice', 'a', 'pay', 10)
    expect(await pay.outcome).toMatchObject({ kind: 'applied', result: { left: 100 - 10 * at } })
  }
  const much = await second.replica.callOn('Invoice', 'a', 'pay', 1000)
  expect((await much.outcome).kind).toBe('problem')
  till.store.Invoice.update('a', { amount: 2000 })
  const solved = await second.replica.solve(much.number, 'mine')
  expect(solved).toMatchObject({ kind: 'applied', result: { left: 950 } })
  await until(() => resultsOf(second.replica).length === 6)
  expect(resultsOf(first.replica)).toEqual(resultsOf(second.replica))
  await second.replica.dismiss(solvedNumber(second.replica))
  await until(() => first.replica.results.count === 5)
  await expect(second.replica.dismiss(much.number)).rejects.toThrow(TypeError)
  await second.replica.close()
  await first.replica.close()
})
const solvedNumber = ({ results }: Pick<Replica, 'results'>): number =>
  Math.max(...(results.keys() as readonly number[]))
