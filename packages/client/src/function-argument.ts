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
