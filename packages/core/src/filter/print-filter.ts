import { assertNever } from '../errors.ts'
import { isReserved } from './grammar-actions.ts'
import { OPERATORS } from './operators.ts'
import type {
  ConditionSyntax,
  FilterSyntax,
  OrderBySyntax,
  PathSyntax,
  ScalarSyntax,
  StepSyntax,
  SubjectSyntax,
  ValueSyntax,
} from './syntax.ts'

/** The text of a syntax tree. Reading it gives the same tree, except offsets. Cost: O(tree). */
export function printFilter({ condition, orderBy }: FilterSyntax): string {
  const parts: string[] = []
  if (condition !== null) parts.push(printCondition(condition))
  if (orderBy !== null) parts.push(`order by ${printOrderBy(orderBy)}`)
  return parts.join(' ')
}

/** The text of an order. */
export function printOrderBy(orderBy: OrderBySyntax): string {
  return orderBy
    .map(({ path, descending }) => printPath(path) + (descending ? ' desc' : ''))
    .join(', ')
}

function printCondition(condition: ConditionSyntax): string {
  switch (condition.kind) {
    case 'or':
      // The first part may be an `except` of the same level. An `or` there needs parentheses, or it
      // would become part of this `or`.
      return condition.parts
        .map((part, i) => printPart(part, part.kind === 'or' || (part.kind === 'except' && i > 0)))
        .join(' or ')
    case 'except':
      return `${printCondition(condition.left)} except ${printPart(condition.right, isEither(condition.right))}`
    case 'and':
      return condition.parts
        .map((part) => printPart(part, isEither(part) || part.kind === 'and'))
        .join(' and ')
    case 'not':
      return `not ${printPart(condition.part, isEither(condition.part) || condition.part.kind === 'and')}`
    case 'comparison':
      return `${printSubject(condition.path)} ${OPERATORS[condition.operator].spellings[0]} ${printValue(condition.value)}`
    case 'isTrue':
      return printSubject(condition.path)
    default:
      return assertNever(condition)
  }
}

function printPart(part: ConditionSyntax, inParentheses: boolean): string {
  return inParentheses ? `(${printCondition(part)})` : printCondition(part)
}

function isEither({ kind }: ConditionSyntax): boolean {
  return kind === 'or' || kind === 'except'
}

function printSubject(subject: SubjectSyntax): string {
  return subject.kind === 'placeholder' ? `:${subject.name}` : printPath(subject)
}

/** The text of a path. */
export function printPath({ steps }: PathSyntax): string {
  return steps.map(printStep).join('.')
}

function printStep({ name, instance, element }: StepSyntax): string {
  return name + (instance === 1 ? '' : `{${instance}}`) + (element === null ? '' : `[${element}]`)
}

function printValue(value: ValueSyntax): string {
  return value.kind === 'list'
    ? `[${value.items.map(printItem).join(', ')}]`
    : printScalar(value, PLAIN_BARE)
}

function printItem(item: ScalarSyntax): string {
  return printScalar(item, PLAIN_ITEM)
}

function printScalar(value: ScalarSyntax, plain: RegExp): string {
  switch (value.kind) {
    case 'null':
      return 'null'
    case 'placeholder':
      return `:${value.name}`
    case 'quoted':
      return `'${value.text.replace(NEVER_IN_QUOTES, escaped)}'`
    case 'bare':
      return plain.test(value.text) && !isWord(value.text) ? value.text : printBare(value.text)
    default:
      return assertNever(value)
  }
}

const NEVER_IN_QUOTES = /['\\]/g
const PLAIN_BARE = /^(?!['":[])[^ \t\r\n<>=()#&^|%!\\]+$/
const PLAIN_ITEM = /^(?!['":[])[^ \t\r\n<>=()#&^|%!\\,\]]+$/
const NEVER_BARE = /^['":[]|[ \t\r\n<>=()#&^|%!\\,\]]/g
const LEADING_NAME = /^[^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\]+/

/**
 * A value without quotes that needs escapes: characters that would end it or change its meaning are
 * escaped.
 */
function printBare(text: string): string {
  const printed = text.replace(NEVER_BARE, escaped)
  return isWord(text) ? escaped(printed.charAt(0)) + printed.slice(1) : printed
}

/** True when the text begins with a word of the language. */
function isWord(text: string): boolean {
  const word = LEADING_NAME.exec(text)?.[0] ?? ''
  return isReserved(word) || word.toLowerCase() === 'null'
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
