import type { RestErrorTexts } from './error-details.ts'

/** Errors that only engines over another storage throw. No text of a database is part of them. */
export const ENGINE_ERRORS = {
  engineUnavailable: {
    errCode: 9123,
    message: (d) =>
      `The storage of the datastore cannot be reached. Try again in ${seconds(d.retryAfterSeconds)}.`,
  },
  commitOutcomeUnknown: {
    errCode: 9128,
    message: (d) =>
      `The storage of the datastore did not answer whether the change is saved. Read the data before you send the change again, in ${seconds(d.retryAfterSeconds)}.`,
  },
  transactionConflict: {
    errCode: 9124,
    message: (d) =>
      `The transaction was rolled back after ${d.attempts} ${d.attempts === 1 ? 'attempt' : 'attempts'}: other transactions changed the same data. Nothing was saved. Try again in ${seconds(d.retryAfterSeconds)}.`,
  },
  notOnThisEngine: {
    errCode: 9125,
    message: (d) => `${d.what} is not available on this engine. ${d.remedy}`,
  },
  databaseDiffers: {
    errCode: 9126,
    message: (d) =>
      `The schema "${d.schema}" of the database does not fit the model. ${d.differences.join(' ')} ${d.remedy}`,
  },
  databaseMigrated: {
    errCode: 9160,
    message: (d) =>
      `The tables of the schema "${d.schema}" were migrated to another model after this process had opened them, and the request does not fit them. Nothing was saved. Restart the process with the new model.`,
  },
} satisfies Partial<RestErrorTexts>

const seconds = (count: number): string => (count === 1 ? '1 second' : `${count} seconds`)
