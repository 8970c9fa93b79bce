import type { ClassName } from './schema.ts'
import { raw, type Sql } from './sql.ts'

/** A table of a statement with its alias. */
export interface Place {
  readonly className: ClassName
  readonly name: string
}

/** Creates aliases for tables and elements, unique in a statement. */
export class Names {
  #given = 0
  next(letter: string): string {
    return `${letter}${++this.#given}`
  }
}

export const column = (at: Place, name: string): Sql => raw(`${at.name}."${name}"`)
