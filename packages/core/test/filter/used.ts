import type { FilterParameters } from '../../src/filter/parameters.ts'
import { usedParameters } from '../../src/filter/used-parameters.ts'

/** The values that the text uses: tests give the same ones to texts without placeholders. */
export const used = <P extends FilterParameters | undefined>(text: string, parameters: P): P =>
  parameters === undefined
    ? parameters
    : ((usedParameters([text])?.only(parameters) ?? parameters) as P)
