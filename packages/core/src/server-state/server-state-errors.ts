import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of sessions and locks. */
export const SERVER_STATE_ERRORS: ErrorTexts<'tooManySessions' | 'entityLocked'> = {
  tooManySessions: {
    errCode: 1823,
    message: (d) =>
      `There are ${d.limit} such sessions already, and none that could make room (option "${d.option}").`,
  },
  entityLocked: {
    errCode: 9035,
    message: (d) =>
      `Entity# ${d.key} of the "${d.dataClass}" dataclass is locked by another session.`,
  },
}

export const serverStateError: ErrorFactory<keyof typeof SERVER_STATE_ERRORS> = (
  code,
  details,
  options,
) => new EntiaError(code, details, options, SERVER_STATE_ERRORS[code])
