/** Why a test of the adapter says nothing about another engine. */
const MEMORY = 'changes the store in memory, or reads what requests have done to it'
const EXPLAIN = 'the operators of $explain are those of the database'
const INDEXED = 'an indexed text has more than 2600 bytes'
const CLOCK = 'sets and sessions expire by the clock of the database'
const METRICS = 'reads the metrics of a store in memory'
const LONG = 'makes hundreds of stores, which takes minutes here'

/** Titles of tests by their file and the reason. */
const SKIPPED: { readonly [file: string]: readonly (readonly [string, readonly string[]])[] } = {
  'http/state-parameters.test.ts': [
    [
      MEMORY,
      ['may carry what narrows nothing', 'of an entity set, or by a condition, may have an order'],
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
  'hosts/bridges.test.ts': [
    [
      MEMORY,
      [
        'a request waits until its connection is its own, or gone',
        'a stream that a hook put in the place of the body is the body',
      ],
    ],
  ],
  'http/authorize-property.test.ts': [
    [
      LONG,
      [
        'hidden rows are as rows that are not there, in every way of reading',
        'hidden attributes and dataclasses are as those that are not exposed',
      ],
    ],
  ],
  'http/authorize-write.test.ts': [
    [
      MEMORY,
      [
        'of an image is an update, deleting it too',
        'saves permitted items, or none if it is atomic',
        'is authorised item by item however long it is',
        'of entities that may be read but not deleted fails for each of them',
        'finds nothing of what may not be read',
      ],
    ],
  ],
  'http/directory.test.ts': [
    [
      MEMORY,
      [
        'gives a new token, and the old one is worth nothing',
        'as another user ends the first session, with its locks',
        'takes the lifetime in minutes {}',
        'takes the lifetime in minutes {"session-4D-length":"120"}',
        'takes the lifetime in minutes, never less than an hour {"session-4D-length":"5"}',
        'takes the lifetime in minutes, never more than a day {"session-4D-length":"999999"}',
        'takes the lifetime in seconds null',
      ],
    ],
  ],
  'http/echoes.test.ts': [
    [
      MEMORY,
      [
        'an entity sent back as it was read, with one attribute changed: exactly that is changed',
        'changed, sets what it is made of, whatever else is sent back as it was read',
        'changed together with an attribute that it sets: the attribute counts, in whatever order they stand',
      ],
    ],
  ],
  'http/entity-set-lifetime.test.ts': [
    [CLOCK, ['the clock of the wall does not matter']],
    [
      MEMORY,
      [
        'for other callers it does not exist, like an expired one',
        "scope 'store' is the default, needs no session, and finds a session's own set only through it",
      ],
    ],
  ],
  'http/entity-sets.test.ts': [
    [
      MEMORY,
      [
        '$method=subentityset just reads: clients send it with every page',
        'a page and a combination that the application keeps outlive it too',
        'answers the same set where nothing changed it',
        'stay gone although their record is used again',
        'a set of another dataclass is 1803, and left alone',
        'with $method=entityset answer the same address',
        'are always checked, also on a live set and without a set',
        'AND: the first order, then what the second one adds in its own',
        'and: the first order, then what the second one adds in its own',
        'Or: the first order, then what the second one adds in its own',
        'EXCEPT: the first order, then what the second one adds in its own',
        'with $method=entityset the result is a new set',
        'INTERSECT is a bare boolean',
        'agrees with plain sets of keys, in order, whatever was deleted',
        'POST?$method=delete removes them, and the set keeps their places',
        'DELETE removes them, and the set keeps their places',
        '$filter, an operation and a body narrow what goes',
        'restricted members stay and are reported, or all stay with $atomic',
        'members that another session locks stay and are reported',
      ],
    ],
  ],
  'http/etag.test.ts': [
    [
      LONG,
      [
        'vouches for each byte of the answer that carried it; with a permission hook: false',
        'vouches for each byte of the answer that carried it; with a permission hook: true',
      ],
    ],
    [MEMORY, ['lets a change through only where the entity was not touched since']],
  ],
  'http/function-values.test.ts': [
    [
      MEMORY,
      [
        'an entity with a key is the stored one with the sent values over it, and is not saved',
        'an image that was sent ahead can be in an entity',
        'a selection is the whole entity set, by id or by address',
      ],
    ],
  ],
  'http/functions.test.ts': [[MEMORY, ['a function holds the locks of its caller, and no others']]],
  'http/identify.test.ts': [
    [MEMORY, ['further stores see the same identity and context, in sessions of their own']],
  ],
  'http/locks.test.ts': [
    [
      MEMORY,
      [
        'without a session unlocks no locked entity, and opens no session',
        'more of them than one session may hold are refused',
        'stays where a deletion by filter takes the others, unless all or none shall go',
        'a lock of a hidden entity refuses a deletion without a name',
      ],
    ],
  ],
  'http/media.test.ts': [
    [
      MEMORY,
      [
        'an image is stored as what it is, whatever it is called',
        'a BLOB: any bytes, with or without $binary',
        'hosts hand bytes over as they like: text, buffers, streams',
        'clearing: $method=delete, DELETE, or null in a body',
        'If-Match requires the stamp of the entity or of the image',
        'an entity that another session has locked keeps its image',
      ],
    ],
  ],
  'http/own-names.test.ts': [
    [
      MEMORY,
      ['an attribute called "key" is one like any other, of every kind and in every request'],
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
    [
      MEMORY,
      [
        'leaves its answer alone, and is answered behind it',
        'leaves its answer that takes its time alone, and is answered behind it',
        'waits for all that stand in line',
        'in the body of the second leaves the first alone',
        'in an unread body does not hide the result of the request',
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
      MEMORY,
      [
        'is made with the first session: for no script, for no other site, for the base path',
        'is found among others, and not said again',
        'after its idle time, which every request restarts',
        'later requests with its cookie have no session, even if their body was arriving',
        'of a refused lock opens no session, sets no cookie and evicts no session',
        'of a failed request opens no session: a set of another session is not recreated',
        'if all sessions hold locks, another one is refused, and no session ends',
      ],
    ],
  ],
  'http/transport.test.ts': [[MEMORY, ['text, bytes, streams and parsed values are the same']]],
  'http/write.test.ts': [
    [
      MEMORY,
      [
        'without $atomic the good ones are saved: 207',
        'a later item sees the earlier ones: a value freed by the first is free for the second',
        '$atomic saves all in one commit',
        'entities that point at each other can be created in one batch with given keys',
        'by key, with POST or DELETE, and then it is gone',
        'by filter, also when nothing matches',
        'by the keys of a body, narrowed by a filter',
        'one by one, those that can go are gone: 207',
        'a restricted deletion is 409; by filter the others still go',
      ],
    ],
  ],
  'interop/save.test.ts': [
    [
      MEMORY,
      [
        'gets a key and a stamp, and is the same entity when it is saved again',
        'holds all that it was made with: dates, objects, a relation',
        'may bring its key; one that is taken is refused',
        'is saved by what has changed, and keeps the rest',
        'both kinds of dates are changed and emptied',
        'an object is saved when something inside it has changed',
        'the text "!\'()*" arrives as it is',
        'the text "O\'Brien & Co. (50+50) = 100% \\"sure\\"!" arrives as it is',
        'the text "back\\\\slash, line\\nbreak, tab\\t" arrives as it is',
        'the text "Čapek – 東京 – 🙂" arrives as it is',
        'the text "%20 %zz & ? # /" arrives as it is',
        'the text "" arrives as it is',
        'a relation is set to an entity and emptied',
        'its relation may lead to a text key',
        'with a stale stamp is refused, and can be saved after a fetch',
        'a relation to a missing entity is refused',
        'of a stored entity shows what follows from its changes, and stores nothing',
        'removes the entity, once',
        'works for text keys, and leaves relations empty',
      ],
    ],
  ],
  'openapi/openapi.test.ts': [
    [
      LONG,
      [
        'describes reads correctly: each answers its examples as documented',
        'every type of attribute, and both forms of calendar dates, read as the document says',
      ],
    ],
  ],
}
const skipped = new Map(Object.entries(SKIPPED))

/** Why a test is skipped; null for one that runs. `file`: below the folder `test` of its package. */
export const reasonToSkip = (file: string, title: string): string | null =>
  skipped.get(file.replace(/^test\//, ''))?.find(([, titles]) => titles.includes(title))?.[0] ??
  null
