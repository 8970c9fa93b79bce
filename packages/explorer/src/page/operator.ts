import type { Ask } from './api.ts'
import { listOf, membersOf, textOf } from './model.ts'

/** What the user may see and do as an operator of the server. */
export interface Operator {
  readonly mayStop: boolean
  readonly mayCreateIndexes: boolean
  /** Whether slow reads are watched, which advice about indexes needs. */
  readonly offersAdvice: boolean
}

/** Null for a user who may not look. */
export async function readOperator(ask: Ask): Promise<Operator | null> {
  try {
    const answer = membersOf(await ask('$operator'))
    const actions = listOf(answer.actions)
    return {
      mayStop: actions.includes('stop'),
      mayCreateIndexes: actions.includes('createIndex') && answer.createsIndexes === true,
      offersAdvice: answer.offersAdvice === true,
    }
  } catch {
    return null
  }
}

/** A request that runs at the server. */
export interface Running {
  readonly id: number
  readonly method: string
  readonly path: string
  readonly user: string
  readonly from: string
  readonly milliseconds: number
  readonly operation: string
  readonly name: string
  readonly filter: string
  readonly orderBy: string
  readonly canStop: boolean
  readonly isStopped: boolean
}

export function readRunning(answer: unknown): readonly Running[] {
  return listOf(membersOf(answer).requests).map((one) => {
    const members = membersOf(one)
    const user = membersOf(members.user)
    return {
      id: Number(members.id),
      method: textOf(members.method),
      path: textOf(members.path),
      user: textOf(user.userName) || textOf(user.ID) || 'guest',
      from: textOf(members.remoteAddress),
      milliseconds: Number(members.milliseconds),
      operation: textOf(members.operation),
      name: textOf(members.name),
      filter: textOf(members.filter),
      orderBy: textOf(members.orderBy),
      canStop: members.canStop === true,
      isStopped: members.isStopped === true,
    }
  })
}

/** The bytes of one attribute; null without an index, or if it cannot get one. */
export interface AttributeBytes {
  readonly name: string
  readonly bytes: number
  readonly index: number | null
  readonly proposal: { readonly bytes: number; readonly milliseconds: number } | null
}

export interface ClassBytes {
  readonly dataClass: string
  readonly entities: number
  readonly bytes: number
  readonly other: number
  /** The largest with its index first. */
  readonly attributes: readonly AttributeBytes[]
}

export function readSizes(answer: unknown): readonly ClassBytes[] {
  return listOf(membersOf(answer).dataClasses).map((one) => {
    const members = membersOf(one)
    const attributes = listOf(members.attributes).map((each): AttributeBytes => {
      const { name, bytes, index, proposal } = membersOf(each)
      const proposed = membersOf(proposal)
      return {
        name: textOf(name),
        bytes: Number(bytes),
        index: typeof index === 'number' ? index : null,
        proposal:
          typeof proposed.bytes === 'number'
            ? { bytes: proposed.bytes, milliseconds: Number(proposed.milliseconds) }
            : null,
      }
    })
    return {
      dataClass: textOf(members.dataClass),
      entities: Number(members.entities),
      bytes: Number(members.bytes),
      other: Number(members.other),
      attributes: attributes.sort((a, b) => totalOf(b) - totalOf(a)),
    }
  })
}

export const totalOf = ({ bytes, index }: AttributeBytes): number => bytes + (index ?? 0)

const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** `950 B`, `12.3 kB`, `4.6 GB`. */
export function bytesText(bytes: number): string {
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** at
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`
}

/** `3 ms`, `1.4 s`, `2 min`. */
export function timeText(milliseconds: number): string {
  if (milliseconds < 1) return 'under 1 ms'
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`
  return `${Math.round(milliseconds / 60_000)} min`
}
