import type { ErrorCode } from '@entia/core'
import { prepareFilter } from '../../../core/src/filter/bind-filter.ts'
import { bindOrderBy, parseOrderBy } from '../../../core/src/filter/bind-order-by.ts'
import { DEFAULT_FILTER_LIMITS } from '../../../core/src/filter/filter-errors.ts'
import { UsedParameters } from '../../../core/src/filter/parameters.ts'
import { parseFilter } from '../../../core/src/filter/parse-filter.ts'
import { printFilter, printOrderBy } from '../../../core/src/filter/print-filter.ts'
import { coerceInput, coerceLiteral } from '../../../core/src/value/coerce.ts'
import { textKey } from '../../../core/src/value/compare.ts'
import {
  matchesWildcard,
  parseKeywords,
  parseWildcard,
  wordsOf,
} from '../../../core/src/value/pattern-list.ts'
import type { AttributeType } from '../../../core/src/value/types.ts'
import { employee } from '../../../core/test/filter/staff-catalog.ts'
import { parseKeyJson, preconditionOf } from '../../src/endpoints/resolve/entity-key.ts'
import { parseAddress } from '../../src/request/address.ts'
import { parseBody } from '../../src/request/body.ts'
import { parseParams } from '../../src/request/filter-text.ts'
import { DEFAULT_LIMITS } from '../../src/request/limits.ts'
import { parseNames } from '../../src/request/parameter-values.ts'
import { parseParameters } from '../../src/request/parameters.ts'
import { jsonOfForm } from '../../src/transport/body/form-body.ts'
import { readToken, sessionCookie } from '../../src/transport/session/cookie-session.ts'
import type { Chance } from './chance.ts'
import {
  addressSentence,
  attributesSentence,
  filterSentence,
  formSentence,
  jsonSentence,
  orderSentence,
  querySentence,
  valueSentence,
} from './sentences.ts'
import { dumpSentence, journalSentence, readDumpBytes, readJournalBytes } from './stored-files.ts'

/** A reader of external text. */
export interface Parser {
  readonly name: string
  /** Its share of the inputs, per thousand. */
  readonly share: number
  readonly sentence: (chance: Chance) => string
  /** Reads the text. Throws `EntiaError` for a refusal, and any other error for a wrong result. */
  readonly read: (text: string) => unknown
  /** The codes of its refusals. */
  readonly refusals: ReadonlySet<ErrorCode>
}

const FILTER_REFUSALS: readonly ErrorCode[] = [
  ...([
    'filterSyntax',
    'filterOperator',
    'filterCannotBeAnalysed',
    'filterTooLarge',
    'formulaNotAllowed',
  ] as const),
  ...(['placeholderMissing', 'placeholderWrongType', 'attributeNotSortable'] as const),
]
const ORDER_REFUSALS: readonly ErrorCode[] = [
  'orderBySyntax',
  'filterTooLarge',
  'attributeNotSortable',
  'attributeNotFound',
]
const PARAMETER_REFUSALS: readonly ErrorCode[] = [
  ...([
    'parameterInvalid',
    'parameterTwice',
    'parameterUnknown',
    'methodUnknown',
    'computeActionUnknown',
  ] as const),
  ...([
    'formatUnknown',
    'logicOperatorUnknown',
    'quoteMissing',
    'urlMalformed',
    'budgetExceeded',
    'methodNotApplicable',
  ] as const),
]
const BODY_REFUSALS: readonly ErrorCode[] = [
  'bodyMalformed',
  'bodyTooLarge',
  'budgetExceeded',
  'mediaTypeUnsupported',
]

const cookie = sessionCookie('hr', '/rest')
const TYPES: readonly AttributeType[] = [
  ...([
    'bool',
    'long',
    'long64',
    'number',
    'string',
    'uuid',
    'date',
    'duration',
    'object',
    'image',
    'blob',
  ] as const),
]
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const parser = (
  ...[name, share, sentence, read, refusals]: [
    string,
    number,
    Parser['sentence'],
    Parser['read'],
    readonly ErrorCode[],
  ]
): Parser => ({ name, share, sentence, read, refusals: new Set(refusals) })

export const PARSERS: readonly Parser[] = [
  parser('filter', 330, filterSentence, readFilter, FILTER_REFUSALS),
  parser('orderBy', 90, orderSentence, readOrder, ORDER_REFUSALS),
  parser(
    'query',
    150,
    querySentence,
    (text) => parseParameters(text, DEFAULT_LIMITS),
    PARAMETER_REFUSALS,
  ),
  parser(
    'names',
    50,
    attributesSentence,
    (text) => parseNames('$attributes', text, DEFAULT_LIMITS),
    PARAMETER_REFUSALS,
  ),
  parser(
    'params',
    70,
    jsonSentence,
    (text) => parseParams(text, DEFAULT_LIMITS),
    PARAMETER_REFUSALS,
  ),
  parser('address', 80, addressSentence, (text) => parseAddress(text, '/rest'), [
    ...([
      'resourceNotFound',
      'questionMarkMissing',
      'urlMalformed',
      'dataClassNotFound',
      'functionNotFound',
    ] as const),
  ]),
  parser('key', 40, jsonSentence, readKey, ['keyMalformed']),
  parser('body', 60, jsonSentence, readBody, BODY_REFUSALS),
  parser('form', 40, formSentence, readForm, BODY_REFUSALS),
  parser('value', 60, valueSentence, readValue, []),
  parser(
    'header',
    20,
    (chance) => chance.oneOf(['"1"', '*', 'W/"3"', '4DSID_hr=abc', 'a=b; 4DSID_hr=%41']),
    readHeader,
    [],
  ),
  // The name in the dump is validated as any store name is.
  parser('dump', 5, dumpSentence, readDumpBytes, ['dumpInvalid', 'argumentInvalid']),
  parser('journal', 5, journalSentence, readJournalBytes, ['dumpInvalid']),
]

/** Prints the parsed filter and parses it again: both must be equal. */
function readFilter(text: string): void {
  const printed = printFilter(parseFilter(text))
  if (printed.length <= DEFAULT_FILTER_LIMITS.maxFilterLength)
    expectSame(printed, printFilter(parseFilter(printed)))
  const prepared = prepareFilter(text, employee)
  const hasNames = prepared.placeholders.some((name) => Number.isNaN(Number(name)))
  const used = new UsedParameters(text, prepared.placeholders)
  prepared.bind(used.only(hasNames ? NAMED : ['a', 5]))
}
const NAMED = { name: 'a', 'a.b': 'lastName', 1: 5, 2: 'b' }

function readOrder(text: string): void {
  const printed = printOrderBy(parseOrderBy(text))
  if (printed.length <= DEFAULT_FILTER_LIMITS.maxFilterLength)
    expectSame(printed, printOrderBy(parseOrderBy(printed)))
  bindOrderBy(text, employee)
}

function readKey(text: string): void {
  let json: unknown = text
  try {
    json = JSON.parse(text)
  } catch {
    // The text is not percent-encoded: parse it unchanged.
  }
  parseKeyJson(employee, json)
}

function readBody(text: string): void {
  parseBody({ kind: 'text', text, contentType: 'application/json' }, DEFAULT_LIMITS)
  parseBody({ kind: 'bytes', bytes: bytesOf(text), contentType: '' }, DEFAULT_LIMITS)
}

function readForm(text: string): void {
  const contentType = 'application/x-www-form-urlencoded'
  const parsed = Object.fromEntries(new URLSearchParams(text))
  const json = jsonOfForm(parsed, contentType, bytesOf(text).length)
  if (json !== null) parseBody({ kind: 'text', text: json, contentType: '' }, DEFAULT_LIMITS)
  parseBody({ kind: 'text', text, contentType }, DEFAULT_LIMITS)
}

function readValue(text: string): void {
  for (const type of TYPES) {
    for (const dateOnly of [true, false]) {
      coerceInput(type, dateOnly, text)
      coerceLiteral(type, dateOnly, text)
    }
  }
  for (const collation of ['folded', 'exact'] as const) {
    const wildcard = parseWildcard(text.slice(0, 1024), collation)
    if (wildcard !== null) matchesWildcard(wildcard, textKey(text, collation))
  }
  parseKeywords(text)
  wordsOf(text)
}

function readHeader(text: string): void {
  preconditionOf({ ifMatch: text, ifNoneMatch: null })
  readToken(text, cookie)
}

function expectSame(first: string, second: string): void {
  if (first !== second)
    throw new Error(`printed as ${JSON.stringify(first)}, and that as ${JSON.stringify(second)}`)
}
