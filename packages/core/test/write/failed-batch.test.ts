import { expect, test } from 'vitest'
import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import { TestStore } from './firm-store.ts'

class Stop extends Error {}

const Note = defineDataClass(
  'Note',
  {
    ID: attribute.long({ key: true, autoSequence: true }),
    title: attribute.string({ unique: true, indexed: true, notNull: true, maxLength: 8 }),
    rank: attribute.number({ indexed: true, max: 100 }),
    data: attribute.object(),
    parent: attribute.relatedEntity('Note', { onDelete: 'restrict' }),
  },
  {
    hooks: {
      validateSave: (note) =>
        note.rank === 13 ? { errCode: 10013, message: 'unlucky' } : undefined,
      beforeSave: (draft) => {
        if (draft.rank === 14) throw new Stop('broken hook')
        if (draft.rank === 15) return Promise.resolve()
        return undefined
      },
    },
  },
)

/** One way to fail for each kind of reason, with the code of the refusal. */
const CAUSES: readonly (readonly [code: string, fail: (store: TestStore) => void])[] = [
  ['valueInvalid', (store) => store.update('Note', 1, { rank: 'high' })],
  ['attributeNotFound', (store) => store.update('Note', 1, { nope: 1 })],
  ['validationFailed', (store) => store.update('Note', 1, { rank: 101 })],
  ['validationFailed', (store) => store.insert('Note', { title: 'far too long' })],
  ['validationFailed', (store) => store.update('Note', 1, { rank: 13 })],
  ['hookFailed', (store) => store.update('Note', 1, { rank: 14 })],
  ['promiseReturned', (store) => store.insert('Note', { title: 'p', rank: 15 })],
  ['uniqueViolation', (store) => store.insert('Note', { title: 'ONE' })],
  ['keyNotUnique', (store) => store.insert('Note', { ID: 1, title: 'k' })],
  ['stampChanged', (store) => store.update('Note', 1, { rank: 2 }, 99)],
  ['entityNotFound', (store) => store.remove('Note', 99)],
  ['removeRestricted', (store) => store.remove('Note', 2)],
  ['relationTargetMissing', (store) => store.insert('Note', { title: 'r', parent: 99 })],
]

/** Items that succeed; each builds on those before it. */
const ITEMS: readonly ((store: TestStore) => void)[] = [
  (store) => store.insert('Note', { title: 'new', rank: 5, data: { a: 1 } }),
  (store) => store.update('Note', 1, { rank: 7, title: 'other' }),
  (store) => store.remove('Note', 4),
  (store) => store.insert('Note', { title: 'one', rank: 1 }),
  (store) =>
    store.update('Note', 3, (draft: { data: unknown }) => void (draft.data = { deep: [1, 2] })),
]

function filled(): TestStore {
  const store = new TestStore([Note])
  store.insert('Note', { title: 'one', rank: 1 })
  store.insert('Note', { title: 'two', rank: 2 })
  store.insert('Note', { title: 'three', parent: 2 })
  store.insert('Note', { title: 'four' })
  store.insert('Note', { title: 'five' })
  return store
}

test.each([
  ['staged only', false],
  ['half of it applied for a query', true],
])(
  'a batch that fails at any position for any reason leaves the same bytes (%s)',
  (_, isApplied) => {
    for (const [code, fail] of CAUSES) {
      for (let position = 0; position <= ITEMS.length; position++) {
        const store = filled()
        const before = store.state()
        const { globalStamp } = store.writer
        let found = ''
        try {
          store.writer.transact(() => {
            for (const [place, item] of ITEMS.entries()) {
              // Earlier changes of the batch must not hide the reason.
              if (place === position) fail(store)
              if (code === 'uniqueViolation' && place === 1) continue
              item(store)
              if (isApplied && place % 2 === 0) store.writer.enter()
            }
            if (position === ITEMS.length) fail(store)
          })
        } catch (error) {
          found = (error as { code: string }).code
        }
        expect(`${code} at ${position}: ${found}`).toBe(`${code} at ${position}: ${code}`)
        expect(store.state()).toBe(before)
        expect(store.writer.globalStamp).toBe(globalStamp)
        store.verify()
        // Automatic keys continue where they were.
        store.insert('Note', { title: 'next' })
        expect(store.keys('Note').at(-1)).toBe(6)
      }
    }
  },
)

test('a commit that fails at its k-th step is rolled back, for every k', () => {
  const write = (store: TestStore): void => {
    store.writer.transact(() => {
      store.insert('Note', { title: 'before', rank: 3 })
      store.writer.enter()
      for (const item of ITEMS) item(store)
      store.insert('Note', { title: 'after', parent: 1 })
    })
  }
  let isDone = false
  let failures = 0
  for (let k = 1; !isDone; k++) {
    let steps = 0
    let isArmed = false
    const store = new TestStore([Note], {
      allocation: () => {
        if (isArmed && ++steps === k) throw new RangeError('out of memory')
      },
    })
    for (const title of ['one', 'two', 'three', 'four', 'five']) store.insert('Note', { title })
    const before = store.state()
    isArmed = true
    try {
      write(store)
      isDone = true
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError)
      failures++
      isArmed = false
      expect(store.state()).toBe(before)
      write(store)
    }
    store.verify()
    expect(store.keys('Note')).toHaveLength(8)
  }
  expect(failures).toBeGreaterThan(20)
})

test('if the rollback fails too, the store refuses every further call', () => {
  let isBroken = false
  const store = new TestStore([Note], {
    allocation: () => {
      if (isBroken) {
        // The table that must undo the changes is unusable.
        Object.defineProperty(store.table('Note'), 'removeAt', {
          value: () => {
            throw new RangeError('no way back')
          },
        })
        throw new RangeError('out of memory')
      }
    },
  })
  store.insert('Note', { title: 'one' })
  expect(() => {
    store.writer.transact(() => {
      store.insert('Note', { title: 'two' })
      store.writer.enter()
      isBroken = true
      store.insert('Note', { title: 'three' })
    })
  }).toThrow('out of memory')
  expect(() => store.insert('Note', { title: 'four' })).toThrow('no way back')
  expect(() => store.writer.enter()).toThrow('no way back')
})
