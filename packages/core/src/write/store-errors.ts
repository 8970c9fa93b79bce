import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of calls that the state of the store forbids. */
export const STORE_ERRORS: ErrorTexts<'storeBroken' | 'storeClosed' | 'notInTransaction'> = {
  storeBroken: {
    errCode: 9052,
    message: (d) =>
      `The store refuses every call since a change failed half-way and could not be undone: ${d.problem}`,
  },
  storeClosed: { errCode: 9053, message: (d) => `The store "${d.store}" is closed.` },
  notInTransaction: {
    errCode: 9054,
    message: (d) => `${d.operation} is not possible inside a transaction. ${d.remedy}`,
  },
}

export const storeError: ErrorFactory<keyof typeof STORE_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, STORE_ERRORS[code])
