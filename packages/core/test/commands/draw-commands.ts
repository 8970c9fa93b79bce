import fc from 'fast-check'
import { INDEXABLE } from './club.ts'
import {
  type BatchMode,
  type Command,
  type Keeping,
  type Who,
  WRONG_QUERIES,
  type Write,
} from './command.ts'
import {
  at,
  className,
  insert,
  load,
  orderOf,
  queries,
  query,
  stamp,
  steps,
  update,
  updateOf,
  write,
} from './draw-writes.ts'
import type { Place } from './hook-gate.ts'
import { RELATIONS } from './plain-model.ts'

// Commands for a club.

const who = fc.constantFrom<Who>(null, null, 0, 1, 2)
const handle = fc.nat(3)
const three = fc.nat(2)
const how = fc.record<Keeping>({
  handle,
  seconds: fc.constantFrom(null, null, null, 1, 60, 5000),
  owner: fc.constantFrom<Who>(null, null, null, null, 0, 1, 2),
  isAnew: fc.constantFrom(false, false, true),
})
const nullableHow = fc.option(how, { freq: 2 })
const kind = <K extends string>(name: K) => fc.constant(name)

/** Writes that a hook or listener can perform; they are not about the entity that it receives. */
const beside = fc
  .oneof(insert, update)
  .filter(
    ({ className, isEdit }: Write & { isEdit?: boolean }) =>
      className !== 'Player' && isEdit !== true,
  )
/** The removal is already planned: the entities that refer to its target stay as they are. */
const unrelated = beside
  .filter(({ className }) => className === 'Team')
  .map((write): Write => {
    const { lead: _, ...values } = write.values
    return { ...write, values }
  })
const WRITES: { readonly [P in Place]: fc.Arbitrary<Write> } = {
  init: beside,
  beforeSave: beside,
  validateSave: beside,
  validateRemove: unrelated,
  afterSave: write,
  afterRemove: write,
  listener: write,
}
const reaction = fc
  .constantFrom<Place>(
    'init',
    'beforeSave',
    'validateSave',
    'validateRemove',
    'afterSave',
    'afterRemove',
    'listener',
  )
  .chain((place) => fc.record({ kind: kind('react'), place: kind(place), write: WRITES[place] }))

const usual = [
  [12, fc.record({ kind: kind('write'), write, session: who })],
  [
    9,
    fc.record({
      kind: kind('batch'),
      mode: fc.constantFrom<BatchMode>('atomic', 'atomic', 'lenient', 'separate'),
      steps,
      session: who,
    }),
  ],
  [
    2,
    className.chain((name) =>
      fc.record({
        kind: kind('updateAll'),
        className: kind(name),
        changes: fc.array(updateOf(name), { maxLength: 5 }),
      }),
    ),
  ],
  [2, load.map((load) => ({ kind: 'load', ...load }))],
  [2, fc.record({ kind: kind('removeFound'), query, session: who })],
  [8, fc.record({ kind: kind('query'), query, skip: fc.nat(4), top: fc.nat(6) })],
  [1, fc.constantFrom(...Object.keys(WRONG_QUERIES)).map((text) => ({ kind: 'wrongQuery', text }))],
  [2, fc.record({ kind: kind('related'), relation: fc.nat(RELATIONS.length - 1), at })],
  [
    9,
    fc.record({
      kind: kind('keepSet'),
      query: fc.oneof({ weight: 3, arbitrary: queries.Player }, query),
      how,
    }),
  ],
  [
    4,
    fc.record({
      kind: kind('combineSets'),
      left: handle,
      word: fc.constantFrom('AND', 'OR', 'EXCEPT', 'INTERSECT'),
      right: handle,
      session: who,
      how: nullableHow,
    }),
  ],
  [2, fc.record({ kind: kind('cleanSet'), set: handle, session: who, how: nullableHow })],
  [4, fc.record({ kind: kind('readSet'), set: handle, session: who, order: orderOf('Player') })],
  [
    2,
    fc.record({
      kind: fc.constantFrom('peekSet', 'peekSet', 'releaseSet'),
      set: handle,
      session: who,
    }),
  ],
  [2, fc.record({ kind: kind('listSides') })],
  [3, fc.record({ kind: kind('advance'), toEnd: fc.nat(3), off: fc.constantFrom(-1, 0, 1) })],
  [
    1,
    fc.record({
      kind: kind('advanceBy'),
      milliseconds: fc.constantFrom(1, 500, 60_000, 3_600_000),
    }),
  ],
  [
    1,
    fc.record({
      kind: kind('wallJump'),
      milliseconds: fc.constantFrom(-1, -86_400_000, 86_400_000),
    }),
  ],
  [
    7,
    fc.record({
      kind: kind('openSession'),
      session: three,
      seconds: fc.constantFrom(null, null, 60, 20_000),
    }),
  ],
  [1, fc.record({ kind: kind('closeSession'), session: three })],
  [5, fc.record({ kind: kind('lock'), className, at, session: three, stamp })],
  [2, fc.record({ kind: kind('unlock'), className, at, session: three })],
  [1, fc.record({ kind: kind('releaseLocks'), session: three })],
  [
    2,
    fc.record({
      kind: fc.constantFrom('createIndex', 'dropIndex'),
      index: fc.nat(INDEXABLE.length - 1),
    }),
  ],
  [2, fc.record({ kind: kind('snapshot') })],
  [3, fc.record({ kind: kind('restore'), snapshot: three })],
  [1, fc.record({ kind: kind('dispose'), snapshot: three })],
  [3, fc.record({ kind: kind('seed') })],
  [1, fc.record({ kind: fc.constantFrom('reopen', 'replay') })],
  [8, reaction],
  [
    6,
    fc.record({
      kind: kind('getter'),
      write: fc.oneof(insert, update),
      inner: write,
      through: fc.constantFrom('getter', 'getter', 'bytes'),
      isInside: fc.constantFrom(false, false, true),
      session: who,
    }),
  ],
  [
    4,
    fc.record({
      kind: kind('failHook'),
      call: fc.integer({ min: 1, max: 6 }),
      how: fc.constantFrom('throw', 'refuse'),
    }),
  ],
] as const

const command = fc.oneof(
  ...usual.map(([weight, arbitrary]) => ({
    weight,
    arbitrary: arbitrary as fc.Arbitrary<Command>,
  })),
)

/** Commands that fill a club with one of everything, so that fewer later ones find nothing. */
const START: readonly Command[] = [
  {
    kind: 'load',
    className: 'Team',
    rows: [{ values: { name: 'a' } }, { values: { motto: 'A' } }],
    isEmptied: false,
  },
  {
    kind: 'load',
    className: 'Player',
    rows: [
      { values: { name: 'a', score: 1, teamID: 0 } },
      { values: { name: 'B', score: 10 } },
      { values: { nick: 'A', captain: 0 } },
      { values: { name: '\u00e9', score: 2.5, teamID: 1, captain: 1 } },
    ],
    isEmptied: false,
  },
  {
    kind: 'load',
    className: 'Pass',
    rows: [{ values: { code: 'o', holder: 0 } }, { values: { code: 'ab', holder: 1, sponsor: 1 } }],
    isEmptied: false,
  },
  {
    kind: 'load',
    className: 'Oddity',
    rows: [{ values: { stamp: '4', key: '2' } }, { values: {} }],
    isEmptied: false,
  },
  { kind: 'seed' },
  { kind: 'openSession', session: 0, seconds: null },
  { kind: 'openSession', session: 1, seconds: null },
]

/** Lists of about 75 commands for one club. */
export const commandLists = fc
  .tuple(
    fc.constantFrom([], START, START, START),
    fc.array(command, { minLength: 1, maxLength: 140, size: 'max' }),
  )
  .map(([start, commands]) => [...start, ...commands])
