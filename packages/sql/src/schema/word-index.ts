import { SqlName } from '../sql-builder/sql.ts'

// The index of words of a text column: GIN over the words of its comparison keys, as the function
// `entia_words` of the schema splits them. The list of letters and digits is that of the process
// that migrates, as are the keys, so no collation and no table of the database takes part. The
// index selects at least the rows that contain the words of a query, and exactly these unless a
// text has `LONG_TEXT` bytes or a sought word `WORD_LENGTH` characters.

const FUNCTION = 'entia_words'

/** Bytes of the texts whose words may exceed a tsvector: the index selects them for every query. */
export const LONG_TEXT = 1 << 20
/** Characters of a word that the index has, so that it is a lexeme in every script. */
const WORD_LENGTH = 255
/** Bytes of a lexeme. A text up to this size has no longer word. */
const LEXEME_SIZE = 2046
/**
 * In operators of the planner. A text of 40 words takes 10 µs, four times as long: but the planner
 * adds the cost to each row of the index too, of which it is not run.
 */
const COST = 100
/** The lexeme of long texts. It is not a word. */
const LONG_MARK = ' '

/** The function that an index of words has in its expression. */
export const wordsFunction = (schema: string): SqlName => new SqlName(schema, FUNCTION)

/** Creates `entia_words(key text)`, or replaces it by that of this process. */
export const createWordsFunction = (
  schema: string,
): string => `CREATE OR REPLACE FUNCTION ${wordsFunction(schema).quoted} (key text)
    RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST ${COST} AS $entia$
  DECLARE words text[];
  BEGIN
    IF octet_length(key) >= ${LONG_TEXT} THEN
      RETURN array_to_tsvector(ARRAY['${LONG_MARK}']);
    END IF;
    words := array_remove(string_to_array(
      regexp_replace(key COLLATE "C", '${wordBreakPattern()}', ' ', 'g'), ' '), '');
    IF octet_length(key) > ${LEXEME_SIZE} THEN
      words := ARRAY(SELECT left(word, ${WORD_LENGTH}) FROM unnest(words) AS word);
    END IF;
    RETURN array_to_tsvector(words);
  END $entia$`

/**
 * The `USING` part of an index of words. New entries wait in a list, which the write that fills it
 * moves into place. The more at a time, the less work for each, but searches read the list. With
 * 1024 kB, which a thousand texts of 40 words fill, that write takes 40 ms and a search at most
 * 0.3 ms more; with 256 kB 15 and 0.1 ms, but a load takes a third more of the database.
 */
export const wordIndexMethod = (schema: string, key: SqlName): string =>
  `USING gin (${wordsFunction(schema).quoted}(${key.quoted})) WITH (gin_pending_list_limit = 1024)`

/** One word of a query: letters and digits, folded as the keys are. */
interface SoughtWord {
  readonly text: string
  readonly isPrefix: boolean
}

/** Words that the index is asked for. A query of more is tested on the rows that it selects. */
const MAX_SOUGHT = 100

/**
 * The tsquery for rows that contain all of the words, and for long texts. `isExact`: it selects no
 * other rows except long texts.
 */
export function wordQuery(words: readonly SoughtWord[]): {
  readonly query: string
  readonly isExact: boolean
} {
  const few = words.slice(0, MAX_SOUGHT)
  let isExact = few.length === words.length
  const lexemes = few.map(({ text, isPrefix }) => {
    const characters = Array.from(text)
    if (characters.length < WORD_LENGTH) return `'${text}'${isPrefix ? ':*' : ''}`
    isExact = false
    return `'${characters.slice(0, WORD_LENGTH).join('')}':*`
  })
  return { query: `${lexemes.join(' & ')} | '${LONG_MARK}'`, isExact }
}

let wordBreaks: string | null = null

/**
 * A regular expression of PostgreSQL for runs of characters that are in no word, which a blank can
 * replace. Blanks stay: the time of a replacement is that of its matches. It lists the letters and
 * digits of this process, so that no table of the database decides what a word is.
 */
export function wordBreakPattern(): string {
  wordBreaks ??= `[^ ${wordCharacters()}]+`
  return wordBreaks
}

const LAST_POINT = 0x10ffff
const WORD_CHARACTER = /^[\p{L}\p{N}]$/u

/** Letters and digits as ranges. Cost: a pass over all code points. */
function wordCharacters(): string {
  let ranges = ''
  let first = -1
  for (let point = 0; point <= LAST_POINT + 1; point++) {
    const isWord = point <= LAST_POINT && WORD_CHARACTER.test(String.fromCodePoint(point))
    if (isWord && first < 0) first = point
    if (isWord || first < 0) continue
    const last = point - 1
    ranges += String.fromCodePoint(first)
    if (last > first) ranges += `-${String.fromCodePoint(last)}`
    first = -1
  }
  return ranges
}
