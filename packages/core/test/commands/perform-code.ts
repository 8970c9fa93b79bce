import type { Command } from './command.ts'
import { Divergence, mustEqual } from './divergence.ts'
import { givenOf } from './odd-values.ts'
import { outcomeOf, type Pair } from './pair.ts'
import { doPlain, doResolved, doStored } from './perform-write.ts'
import type { ClassName } from './plain-model.ts'
import { isTooMany, type Resolved, resolved } from './resolve.ts'

type CodeCommand = Extract<Command, { kind: 'react' | 'getter' }>

/**
 * Code of the application that writes while the store calls it: hooks, listeners, getters of
 * inputs.
 */
export function performCode(pair: Pair, command: CodeCommand): string {
  return command.kind === 'react' ? react(pair, command) : writeWithGetter(pair, command)
}

/** The model runs first and selects the entities of the write. */
function react(pair: Pair, { place, write }: Extract<Command, { kind: 'react' }>): string {
  const { club, gates } = pair
  const done: Resolved[] = []
  gates.model.react(place, () => {
    if (isTooMany(club, write)) return 'too many'
    return `${write.do} ${outcomeOf(() => club.transact(() => doPlain(pair, write, done))).code}`
  })
  gates.store.react(place, () => {
    const [step] = done
    return step === undefined
      ? 'too many'
      : `${write.do} ${outcomeOf(() => doStored(pair.store, step)).code}`
  })
  return place
}

/** The attribute with a getter in each dataclass, if the command names none. */
const FIRST: { readonly [K in ClassName]: string } = {
  Team: 'motto',
  Player: 'nick',
  Pass: 'colour',
  Oddity: 'key',
}
const MEDIA = 'hasOwnProperty'

/**
 * The write of a getter comes first, if the store reads the getter at all: it may refuse before. So
 * the store runs first here, and the model repeats the writes that happened.
 */
function writeWithGetter(pair: Pair, command: Extract<Command, { kind: 'getter' }>): string {
  const { club, store, gates } = pair
  const { write, inner, isInside } = command
  if (isTooMany(club, write) || isTooMany(club, inner)) return 'too many'
  // The order of a hook and a getter is undefined, and a hook takes its write from the model.
  for (const gate of [gates.store, gates.model]) gate.disarm()
  const session = command.session === null ? null : pair.sessions[command.session]
  const outerStep = resolved(pair, { ...write, isEdit: false } as typeof write)
  const innerStep = resolved(pair, inner)
  if (outerStep.do !== 'insert' && outerStep.do !== 'update')
    throw new Error('only an insert or an update can have a getter')
  let asked = 0
  let innerFound: unknown
  const act = (): void => {
    if (++asked === 1) innerFound = outcomeOf(() => doStored(store, innerStep))
  }
  const isMedia = command.through === 'bytes' && outerStep.className === 'Oddity'
  const step = isMedia ? withMedia(outerStep, act) : withGetter(outerStep, act)
  const once = <R>(body: () => R, transact: (body: () => R) => R): R =>
    isInside ? transact(body) : body()
  const foundNow = outcomeOf(() =>
    store.as(session, () =>
      once(
        () => doStored(store, step),
        (body) => store.transact(body),
      ),
    ),
  )
  if (asked > 1) throw new Divergence(`a getter was read ${asked} times`)
  let innerExpected: unknown
  const expected = outcomeOf(() =>
    pair.as(session, () =>
      once(
        () => {
          if (asked > 0)
            innerExpected = outcomeOf(() => club.transact(() => doResolved(club, innerStep)))
          // Inside a transaction nothing is committed yet: a removed entity may come back, with its
          // lock.
          if (!isInside) pair.sides.afterCommit()
          return club.transact(() => doResolved(club, step))
        },
        (body) => club.transact(body),
      ),
    ),
  )
  pair.sides.afterCommit()
  mustEqual(foundNow, expected)
  mustEqual(innerFound, innerExpected)
  const where = isInside ? 'inside' : 'alone'
  return `${where} ${write.do} ${asked === 0 ? 'not asked' : expected.code === 'ok' ? 'ok' : 'refused'}`
}

type Outer = Extract<Resolved, { do: 'insert' | 'update' }>

function withGetter(step: Outer, act: () => void): Outer {
  const { className, plain, input } = step
  const name = Object.keys(input)[0] ?? FIRST[className]
  const isGiven = Object.hasOwn(input, name)
  const value = isGiven ? input[name] : className === 'Pass' ? 'red' : null
  const given = Object.defineProperty({}, name, {
    enumerable: true,
    get: () => {
      act()
      return value
    },
  })
  const { [name]: _, ...others } = input
  const values = isGiven
    ? plain.values
    : { ...plain.values, [name]: className === 'Pass' ? 'red' : null }
  Object.defineProperties(given, Object.getOwnPropertyDescriptors(others))
  return { ...step, plain: { ...plain, values }, input: given }
}

/** Media may be given as an object with a function that returns the bytes. */
function withMedia(step: Outer, act: () => void): Outer {
  const last = givenOf(MEDIA, '3') as { readonly mediaType: string; readonly bytes: Uint8Array }
  const bytes = (): Uint8Array => {
    act()
    return last.bytes
  }
  const { [MEDIA]: _, ...others } = step.input
  const input = { [MEDIA]: { mediaType: last.mediaType, bytes }, ...others }
  return {
    ...step,
    plain: { ...step.plain, values: { ...step.plain.values, [MEDIA]: '3' } },
    input,
  }
}
