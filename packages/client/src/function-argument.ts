import type { EntityArgument as EntityArgumentOf } from '@entia/core'

/** The form of an argument that is sent, and what ends with the call. */
export interface SentArgument {
  readonly wire: unknown
  readonly release?: () => Promise<unknown>
}

/** A method of the arguments that JSON cannot hold. */
export const SENT: unique symbol = Symbol('sent argument')

/** An argument of a function that JSON cannot hold: an entity or a selection. */
export abstract class FunctionArgument {
  abstract [SENT](): Promise<SentArgument>
}

/** An entity as the argument of a function. Created by `asArgument` of its dataclass. */
export class EntityArgument extends FunctionArgument implements EntityArgumentOf {
  readonly kind = 'entityArgument'
  readonly dataClass: string
  readonly #wire: () => Promise<unknown>

  constructor(dataClass: string, wire: () => Promise<unknown>) {
    super()
    this.dataClass = dataClass
    this.#wire = wire
  }

  async [SENT](): Promise<SentArgument> {
    return { wire: await this.#wire() }
  }
}

/** Whether a value is an entity or a selection that only a client can send. */
export const isOfClient = (value: unknown): boolean => value instanceof FunctionArgument

/** Throws a TypeError for an argument of which JSON would lose a value, such as a Blob. */
export function checkArgument(named: string, argument: unknown): void {
  JSON.stringify(argument, (_, value: unknown) => {
    const lost = lostIn(value)
    if (lost !== null)
      throw new TypeError(`${named} has ${lost}, which JSON cannot hold: pass it in another form.`)
    return value
  })
}

/** What JSON has nothing, or something else, of. Null if it has the value. */
function lostIn(value: unknown): string | null {
  if (['bigint', 'function', 'symbol'].includes(typeof value)) return `a ${typeof value}`
  if (typeof value === 'number') return Number.isFinite(value) ? null : String(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const prototype: unknown = Object.getPrototypeOf(value)
  // Plain objects, also those of another realm.
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return null
  const isEmpty = ArrayBuffer.isView(value) || Object.keys(value).length === 0
  return isEmpty ? `a value of the class ${value.constructor.name}` : null
}
