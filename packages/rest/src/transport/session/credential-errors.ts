/** What an error of `identify` says about the request. */
export type IdentityFailure =
  /** The credentials are forged, expired or malformed: what clients send is no fault. */
  | 'refused'
  /** Code failed, perhaps at malformed credentials: refused, and the host is notified. */
  | 'doubtful'
  /** Something that `identify` needs failed, so the credentials may be right. */
  | 'failed'

/** The language's own errors. A malformed token can cause them in code that does not expect it. */
const LANGUAGE_ERRORS = [TypeError, ReferenceError, RangeError, SyntaxError]

/** Members that only errors of the operating system and of databases have. */
const SYSTEM_MEMBERS = ['syscall', 'severity', 'errno', 'sqlState']

/** A set of keys that cannot be fetched is not the client's fault. */
const UNAVAILABLE = /timeout|timed out|unavailable|jwksinvalid|connect|database/i

/** What errors about credentials are named, coded or worded by. */
const CREDENTIALS =
  /jw[ste]|jwks?no|token|not_?before|signature|credential|expired|unauthori[sz]ed|unauthenticated|authenticat|forbidden|forged|bearer|api.?key|password|audience|issuer|alg_?not_?allowed|claim/i

/**
 * Decides by the error: its status (401 or 403), its class, its `code`, and for errors without a
 * class of their own, or with status 400, by the words of the message. What speaks of neither
 * credentials nor a fault of the language has failed.
 */
export function identityFailure(error: unknown): IdentityFailure {
  if (!(error instanceof Error)) return 'doubtful'
  const { name, cause, message } = error
  const code = textOf(error, 'code')
  const isSystem = (each: object) => SYSTEM_MEMBERS.some((member) => member in each)
  if (isSystem(error) || (cause instanceof Error && isSystem(cause))) return 'failed'
  const status = textOf(error, 'status') || textOf(error, 'statusCode')
  if (status === '401' || status === '403') return 'refused'
  // A plugin of a host answers 400 to a malformed header, and says which one.
  if (status !== '' && status !== '400') return 'failed'
  if (LANGUAGE_ERRORS.some((each) => error instanceof each)) return 'doubtful'
  const words = name === 'Error' || status === '400' ? `${code} ${message}` : `${name} ${code}`
  return CREDENTIALS.test(words) && !UNAVAILABLE.test(words) ? 'refused' : 'failed'
}

function textOf(error: Error, member: string): string {
  const value: unknown = Object.entries(error).find(([name]) => name === member)?.[1]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
