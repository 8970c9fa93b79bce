import { expect, test } from 'vitest'
import { isGenerated, sourcesOf } from './source-files.ts'

/**
 * Words of HTTP and of servers, in names and comments. Core knows neither: it runs in browsers, and
 * any adapter can use it.
 */
const WORDS =
  /\b\w*http\w*\b|\brequests?\b|\bheaders?\b|\bcookies?\b|\bstatus(?:es|_code)?\b|\burls?\b|\bclients?\b|\bservers?\b(?![- ]state)|\b\w*uploads?\b|\b\w*guests?\b|\bipAddress\b|\buserAgent\b|\buser agents?\b|\bmultipart\b|\bendpoints?\b/gi

interface Exception {
  /** A file, or the beginning of the paths of several. */
  readonly files: readonly string[]
  readonly words: readonly string[]
  readonly reason: string
}

const EXCEPTIONS: readonly Exception[] = [
  {
    files: [
      'model/build-catalog.ts',
      'model/catalog.ts',
      'model/check-data-class.ts',
      'model/definition.ts',
      'model/names.ts',
    ],
    words: ['onHttpGet'],
    reason: 'a public option of functions',
  },
  {
    files: ['model/draft-class.ts', 'model/function-types.ts', 'model/store-types.ts'],
    words: ['onHttpGet'],
    reason: 'the same option',
  },
  {
    files: [
      'model/session-types.ts',
      'server-state/',
      'error-details.ts',
      'model/async-store-types.ts',
      'async/',
    ],
    words: ['ipAddress', 'userAgent', 'user agent'],
    reason: 'public facts of a session; a lock names its holder by them',
  },
  {
    files: ['async/call.ts'],
    words: ['status'],
    reason: 'a member by which it recognises the reply that a function of an adapter returns',
  },
  {
    files: ['model/session-types.ts', 'server-state/'],
    words: ['maxGuests'],
    reason: 'a public option: the limit of sessions without a user',
  },
  {
    files: [
      'model/session-types.ts',
      'server-state/',
      'store/capability/',
      'store/',
      'model/store-types.ts',
      'model/names.ts',
    ],
    words: ['uploads', 'Uploads', 'upload'],
    reason: '`store.uploads` is public: media that wait for the write that uses them',
  },
  {
    files: [
      'async/async-of.ts',
      'store/capability/server.ts',
      'internal.ts',
      'kernel.ts',
      'model/value-types.ts',
      'store/create-store.ts',
    ],
    words: ['server'],
    reason: 'the public name of a capability, for stores that others call',
  },
  {
    files: ['errors.ts'],
    words: ['request'],
    reason: 'the message of `budgetExceeded` is part of the protocol',
  },
  {
    files: ['schema/'],
    words: ['http', 'https'],
    reason: 'the addresses that name the standards of schemas',
  },
  {
    files: ['persistence/browser/ports.ts'],
    words: ['request', 'HTTPS'],
    reason: 'a method of the Web Locks API, and the origins that have it',
  },
  {
    files: ['persistence/node/diagnostics.ts'],
    words: ['client', 'status_code'],
    reason: 'attributes of events are named by OpenTelemetry',
  },
]

const usesOf = (file: string, text: string): readonly string[] =>
  isGenerated(file) ? [] : [...new Set([...text.matchAll(WORDS)].map(([word]) => word))]

const isExcepted = (file: string, word: string): boolean =>
  EXCEPTIONS.some(
    ({ files, words }) => words.includes(word) && files.some((one) => file.startsWith(one)),
  )

test('core uses words of HTTP only where an exception gives the reason', () => {
  const found = [...sourcesOf('packages/core/src')].flatMap(([file, text]) =>
    usesOf(file, text)
      .filter((word) => !isExcepted(file, word))
      .map((word) => `${file}: ${word}`),
  )
  expect(found).toEqual([])
})

test('every exception is needed', () => {
  const sources = [...sourcesOf('packages/core/src')]
  const unused = EXCEPTIONS.flatMap(({ files, words }) => [
    ...files.filter(
      (one) =>
        !sources.some(
          ([file, text]) =>
            file.startsWith(one) && usesOf(file, text).some((w) => words.includes(w)),
        ),
    ),
    ...words.filter(
      (word) =>
        !sources.some(
          ([file, text]) =>
            files.some((one) => file.startsWith(one)) && usesOf(file, text).includes(word),
        ),
    ),
  ])
  expect(unused).toEqual([])
})
