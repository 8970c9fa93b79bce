import { EntiaError, type ErrorFactory, type ErrorTexts } from '../errors.ts'

/** Errors of restoring a snapshot. */
export const SNAPSHOT_ERRORS: ErrorTexts<'snapshotForeign'> = {
  snapshotForeign: {
    errCode: 9051,
    message: (d) => `The snapshot cannot be restored: ${d.problem}`,
  },
}

export const snapshotError: ErrorFactory<keyof typeof SNAPSHOT_ERRORS> = (code, details, options) =>
  new EntiaError(code, details, options, SNAPSHOT_ERRORS[code])
