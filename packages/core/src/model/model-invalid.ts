import { EntiaError, type ErrorTexts } from '../errors.ts'

/** Errors of a model that cannot work. */
export const MODEL_ERRORS: ErrorTexts<'modelInvalid'> = {
  modelInvalid: {
    errCode: 9001,
    message: (d) =>
      `Dataclass "${d.dataClass}"${d.attribute === null ? '' : `, attribute "${d.attribute}"`}: ${d.problem}. ${d.remedy}`,
  },
}

/** Throws `modelInvalid`. The problem is a clause without a full stop, the remedy a sentence. */
export function refuseModel(
  dataClass: string,
  attribute: string | null,
  problem: string,
  remedy: string,
): never {
  const details = { dataClass, attribute, problem, remedy }
  throw new EntiaError('modelInvalid', details, undefined, MODEL_ERRORS.modelInvalid)
}

/** Throws `modelInvalid` for the first unknown option, naming the known ones. */
export function checkOptionNames(
  dataClass: string,
  attribute: string | null,
  options: object,
  known: readonly string[],
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown !== undefined)
    refuseModel(
      dataClass,
      attribute,
      `"${unknown}" is not an option`,
      `Known here: ${known.join(', ')}.`,
    )
}

/** Throws `modelInvalid` for an option among `names` that is neither true nor false nor missing. */
export function checkFlags(
  dataClass: string,
  attribute: string | null,
  options: object,
  names: readonly string[],
): void {
  for (const [name, value] of Object.entries(options))
    if (names.includes(name) && value !== undefined && typeof value !== 'boolean')
      refuseModel(dataClass, attribute, `option "${name}" is not a boolean`, 'Give true or false.')
}
