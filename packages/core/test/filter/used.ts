import { type FilterParameters, usedParameters } from '../../src/filter/parameters.ts'

/** The values that the text uses: tests give the same ones to texts without placeholders. */
export const used = <P extends FilterParameters | undefined>(text: string, parameters: P): P =>
  parameters === undefined
    ? parameters
    : ((usedParameters([text])?.only(parameters) ?? parameters) as P)
