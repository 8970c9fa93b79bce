/** Why a test of the adapter says nothing about another engine. */
const STATE = 'reads or writes the sessions, locks or entity sets of the store in memory'
const RECORDS = 'the records of a copy have the numbers that they have in memory'
const COMMITS = 'reads the commits of the store in memory'
const EXPLAIN = 'the operators of $explain are those of the database'
const INDEXED = 'an indexed text has more than 2600 bytes'
const CLOCK = 'sets and sessions expire by the clock of the database'
const METRICS = 'reads the metrics of a store in memory'
const DURABLE = 'an answer waits for the files of a store in memory'
const ZERO = 'writes texts with U+0000, which PostgreSQL cannot store'
const KEPT = 'a function keeps an entity after its call, or an image as it was sent'

const EVERY_TEST = 'every test of the file'

/** Titles of tests by their file and the reason. */
const SKIPPED: {
  readonly [file: string]: readonly (readonly [string, readonly string[] | typeof EVERY_TEST])[]
} = {
  'http/durable.test.ts': [[DURABLE, EVERY_TEST]],
  'render/entity-text.test.ts': [
    [ZERO, ['text written piece by piece equals that of JSON.stringify, for any names and values']],
  ],
  'http/info.test.ts': [
    [
      STATE,
      [
        'every caller sees the counts and its own sets and session',
        'with info "all" every caller sees everything exposed',
        'the option may be a function of the session, also an asynchronous one',
        'a function that throws or returns no boolean shows only the default',
      ],
    ],
  ],
  'http/metrics.test.ts': [
    [
      METRICS,
      [
        'of the store count entities, sets, sessions and commits',
        'measure durations by the clock of the store',
        'is given by a rule; other callers get 404',
      ],
    ],
  ],
  'http/directory.test.ts': [
    [
      STATE,
      [
        'gives a new token and invalidates the old one',
        'takes the lifetime in minutes {}',
        'takes the lifetime in minutes {"session-4D-length":"120"}',
        'takes the lifetime in minutes, never less than an hour {"session-4D-length":"5"}',
        'takes the lifetime in minutes, never more than a day {"session-4D-length":"999999"}',
        'takes the lifetime in seconds null',
      ],
    ],
  ],
  'http/authorize-sets.test.ts': [
    [RECORDS, ['does not report deleted members that the caller could not see']],
  ],
  'http/entity-set-lifetime.test.ts': [
    [CLOCK, ['changes of the wall clock do not affect lifetimes']],
    [
      STATE,
      [
        'other callers get the same error as for an expired set',
        "scope 'store' is the default, needs no session, and does not find sets of sessions",
      ],
    ],
  ],
  'http/entity-sets.test.ts': [
    [
      STATE,
      [
        'sets that the application creates from pages and combinations outlive the commit history',
        'agrees with sets of keys, in order, also after deletions',
        'keeps members that another session has locked, and reports them',
      ],
    ],
    [RECORDS, ['stay deleted when their record is used again']],
  ],
  'http/etag.test.ts': [[RECORDS, ['permits a change only if the entity is unchanged since']]],
  'http/function-values.test.ts': [
    [
      KEPT,
      [
        'an entity with a key is passed as the stored entity with the sent values, and is not saved',
        'an entity can contain an uploaded image',
      ],
    ],
  ],
  'http/functions.test.ts': [[STATE, ['a function holds only the locks of its caller']]],
  // Each handler of a store has a copy of its own.
  'http/hidden-errors.test.ts': [
    [
      STATE,
      [
        'an error about a visible entity names it',
        'an error about a hidden entity reveals nothing of it',
      ],
    ],
  ],
  'http/locks.test.ts': [
    [STATE, ['the lock of a hidden entity prevents a deletion without naming it']],
  ],
  'http/media.test.ts': [
    [STATE, ['an entity that another session has locked keeps its image']],
    [RECORDS, ['the ETag changes with the image, and when the key is used again']],
  ],
  'http/own-names.slow.test.ts': [
    [
      COMMITS,
      [
        'an attribute called "key" is one like any other, of every kind and in every request',
        'an attribute called "stamp" is one like any other, of every kind and in every request',
        'an attribute called "timestamp" is one like any other, of every kind and in every request',
        'an attribute called "then" is one like any other, of every kind and in every request',
        'an attribute called "toJSON" is one like any other, of every kind and in every request',
        'attributes with other names of Object.prototype are ordinary attributes',
      ],
    ],
  ],
  'http/pipelining.test.ts': [
    [
      INDEXED,
      [
        'are answered whole and in their order when answers of ASCII are long',
        'are answered whole and in their order when answers of other text are long',
        'are executed in order when the first has a long body',
      ],
    ],
  ],
  'http/query-path.test.ts': [
    [
      EXPLAIN,
      [
        'explains how a page was found: operators, index, estimated and actual rows',
        'shows all details if nothing in the model is hidden',
      ],
    ],
  ],
  'http/sessions.test.ts': [
    [
      STATE,
      [
        'is set with the first session: HttpOnly, SameSite and limited to the base path',
        'after its idle time, which each request restarts',
        'and later requests with its cookie have none, even if their body was arriving',
        'opens no session if it fails: a set of another session is not recreated',
      ],
    ],
  ],
  'interop/collections.slow.test.ts': [
    [
      STATE,
      [
        'fetch reads another page of the same entity set, with other relations, another order or fewer members',
        'is refused once its entity set is gone, and stays as it was',
      ],
    ],
  ],
  'interop/directory.slow.test.ts': [[STATE, ['a login lasts as long as requested']]],
}
const skipped = new Map(Object.entries(SKIPPED))

/**
 * Why a test is skipped; null for one that runs. `file`: below the folder `test` of its package.
 */
export const reasonToSkip = (file: string, title: string): string | null =>
  skipped
    .get(file.replace(/^test\//, ''))
    ?.find(([, titles]) => titles === EVERY_TEST || titles.includes(title))?.[0] ?? null
