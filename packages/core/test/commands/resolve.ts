import { NOWHERE, type Step, type Write } from './command.ts'
import { givenOf } from './odd-values.ts'
import type { Pair } from './pair.ts'
import type { PlainClub } from './plain-club.ts'
import {
  type ClassName,
  type Input,
  type Key,
  keyOf,
  type PlainRecord,
  RELATIONS,
  type Row,
} from './plain-model.ts'

type Given = { readonly [name: string]: unknown }
/**
 * A step with keys in place of entity numbers: for the model (`plain`) and for the store (`input`).
 */
export type Resolved =
  | {
      readonly do: 'insert'
      readonly className: ClassName
      readonly plain: Input
      readonly input: Given
    }
  | {
      readonly do: 'update'
      readonly className: ClassName
      readonly key: Key
      readonly plain: Input
      readonly input: Given
      readonly options: { readonly stamp?: number }
      readonly isEdit: boolean
    }
  | {
      readonly do: 'remove'
      readonly className: ClassName
      readonly key: Key
      readonly options: { readonly stamp?: number }
    }
  | {
      readonly do: 'load'
      readonly className: ClassName
      readonly plains: readonly Input[]
      readonly inputs: readonly Given[]
      readonly isEmptied: boolean
    }
  | Extract<Step, { do: 'look' | 'throw' | 'updateNone' }>

/** The maximum number of entities of a dataclass. */
const MOST = 10

export function isTooMany(club: PlainClub, step: Step): boolean {
  if (step.do === 'insert') return club.living(step.className).length >= MOST
  return step.do === 'load' && club.living(step.className).length + step.rows.length > MOST
}

export function resolved({ club }: Pair, step: Step): Resolved {
  switch (step.do) {
    case 'look':
    case 'throw':
    case 'updateNone':
      return step
    case 'insert': {
      const plain = resolvedInput(club, step.className, step)
      return {
        do: 'insert',
        className: step.className,
        plain,
        input: givenRow(step.className, plain),
      }
    }
    case 'load': {
      const { className, rows, isEmptied } = step
      const plains = rows.map((row) => resolvedInput(club, className, row))
      return {
        do: 'load',
        className,
        plains,
        inputs: plains.map((plain) => givenRow(className, plain)),
        isEmptied,
      }
    }
    case 'update':
    case 'remove':
      return resolvedChange(club, step)
  }
}

function resolvedChange(club: PlainClub, step: Exclude<Write, { do: 'insert' }>): Resolved {
  const { className } = step
  const { key, record } = pick(club, className, step.at)
  const options =
    step.stamp === 'none' ? {} : { stamp: (record?.stamp ?? 1) + (step.stamp === 'stale' ? 1 : 0) }
  if (step.do === 'remove') return { do: 'remove', className, key, options }
  const plain = resolvedInput(club, className, step)
  const input = givenRow(className, plain)
  return { do: 'update', className, key, plain, input, options, isEdit: step.isEdit === true }
}

/** The n-th living entity and its key, or a missing key. */
export function pick(
  club: PlainClub,
  className: ClassName,
  at: number,
): { key: Key; record: PlainRecord | undefined } {
  const living = club.living(className)
  if (at >= NOWHERE || living.length === 0)
    return { key: className === 'Pass' ? 'none' : 99, record: undefined }
  const record = living[at % living.length]
  return { key: keyOf(record), record }
}

/** Values with keys in place of entity numbers. */
function resolvedInput(club: PlainClub, className: ClassName, { values, wrong }: Input): Input {
  const row: { [name: string]: Row[string] } = { ...values }
  for (const { owner, key, target } of RELATIONS) {
    const link = row[key]
    if (owner !== className || typeof link !== 'number') continue
    const { key: picked, record } = pick(club, target, link)
    row[key] = record === undefined && link < NOWHERE ? null : picked
  }
  return { values: row, wrong: wrong ?? null }
}

const OF_WRONG_TYPE: { readonly [K in ClassName]: string } = {
  Team: 'lead',
  Player: 'score',
  Pass: 'holder',
  Oddity: 'stamp',
}

/** The form that the store takes. */
function givenRow(className: ClassName, { values, wrong }: Input): Given {
  const row =
    className === 'Oddity'
      ? Object.fromEntries(
          Object.entries(values).map(([name, value]) => [name, givenOf(name, value)]),
        )
      : values
  if (wrong === 'type') return { ...row, [OF_WRONG_TYPE[className]]: 'x' }
  if (wrong === 'name') return { ...row, nothing: 1 }
  if (wrong === 'key')
    return { ...row, [className === 'Pass' ? 'code' : 'ID']: className === 'Pass' ? 'other' : 77 }
  return row
}
