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
        'every caller sees the counts, and its own sets and session',
        'with info "all" everybody is shown everything that is exposed',
        'a function decides by the session, and may wait',
        'a function that throws, or does not return a boolean, shows no more',
      ],
    ],
  ],
  'http/metrics.test.ts': [
    [
      METRICS,
      [
        'of the store: entities, sets, sessions, commits',
        'a duration is that of the store’s clock',
        'with a rule those it says yes to; to others it is as if it were not there',
      ],
    ],
  ],
  'http/directory.test.ts': [
    [
      STATE,
      [
        'gives a new token, and the old one is worth nothing',
        'takes the lifetime in minutes {}',
        'takes the lifetime in minutes {"session-4D-length":"120"}',
        'takes the lifetime in minutes, never less than an hour {"session-4D-length":"5"}',
        'takes the lifetime in minutes, never more than a day {"session-4D-length":"999999"}',
        'takes the lifetime in seconds null',
      ],
    ],
  ],
  'http/entity-set-lifetime.test.ts': [
    [CLOCK, ['the clock of the wall does not matter']],
    [
      STATE,
      [
        'for other callers it does not exist, like an expired one',
        "scope 'store' is the default, needs no session, and finds a session's own set only through it",
      ],
    ],
  ],
  'http/entity-sets.test.ts': [
    [
      STATE,
      [
        'a page and a combination that the application keeps outlive it too',
        'agrees with plain sets of keys, in order, whatever was deleted',
        'members that another session locks stay and are reported',
      ],
    ],
    [RECORDS, ['stay gone although their record is used again']],
  ],
  'http/etag.test.ts': [
    [RECORDS, ['lets a change through only where the entity was not touched since']],
  ],
  'http/function-values.test.ts': [
    [
      KEPT,
      [
        'an entity with a key is the stored one with the sent values over it, and is not saved',
        'an image that was sent ahead can be in an entity',
      ],
    ],
  ],
  'http/functions.test.ts': [[STATE, ['a function holds the locks of its caller, and no others']]],
  'http/locks.test.ts': [[STATE, ['a lock of a hidden entity refuses a deletion without a name']]],
  'http/media.test.ts': [
    [STATE, ['an entity that another session has locked keeps its image']],
    [RECORDS, ['the ETag changes with the image, and when the key is given again']],
  ],
  'http/own-names.test.ts': [
    [
      COMMITS,
      [
        'an attribute called "key" is one like any other, of every kind and in every request',
        'an attribute called "stamp" is one like any other, of every kind and in every request',
        'an attribute called "timestamp" is one like any other, of every kind and in every request',
        'an attribute called "then" is one like any other, of every kind and in every request',
        'an attribute called "toJSON" is one like any other, of every kind and in every request',
        'also an attribute with another name of Object.prototype',
      ],
    ],
  ],
  'http/pipelining.test.ts': [
    [
      INDEXED,
      [
        'are answered whole and in their order when answers of ASCII are long',
        'are answered whole and in their order when answers of other text are long',
        'are carried out in their order when the first has a long body',
      ],
    ],
  ],
  'http/query-path.test.ts': [
    [
      EXPLAIN,
      [
        'explains how a page was found: operators, index, estimated and actual rows',
        'says everything where nothing of the model is hidden',
      ],
    ],
  ],
  'http/sessions.test.ts': [
    [
      STATE,
      [
        'is made with the first session: for no script, for no other site, for the base path',
        'after its idle time, which every request restarts',
        'later requests with its cookie have no session, even if their body was arriving',
        'of a failed request opens no session: a set of another session is not recreated',
      ],
    ],
  ],
  'interop/collections.test.ts': [
    [
      STATE,
      [
        'fetch reads another page of the same entity set, with other relations, another order or fewer members',
        'is refused once its entity set is gone, and stays as it was',
      ],
    ],
  ],
  'interop/directory.test.ts': [[STATE, ['a login lasts as long as requested']]],
}
const skipped = new Map(Object.entries(SKIPPED))

/** Why a test is skipped; null for one that runs. `file`: below the folder `test` of its package. */
export const reasonToSkip = (file: string, title: string): string | null =>
  skipped
    .get(file.replace(/^test\//, ''))
    ?.find(([, titles]) => titles === EVERY_TEST || titles.includes(title))?.[0] ?? null
