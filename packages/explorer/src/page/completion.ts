import { type Attribute, attributeOf, type DataClass, type Model } from './model.ts'
import { OPERATORS } from './operators.generated.ts'

export interface Completion {
  /** Replaces the text from `from` to the caret. */
  readonly insert: string
  readonly label: string
  /** Shown next to the label: a type, a dataclass, or the meaning of an operator. */
  readonly detail: string
  /** Whether it also replaces a closing quote behind the caret. */
  readonly isValue?: true
}

export interface Completions {
  readonly from: number
  readonly items: readonly Completion[]
}

const nullTests: readonly (readonly [string, string])[] = [
  ['is null', 'has no value'],
  ['is not null', 'has a value'],
]
const listOperators: ReadonlySet<string> = new Set(
  OPERATORS.filter(({ takesList }) => takesList).map(({ spelling }) => spelling),
)
const connectives: readonly (readonly [string, string])[] = [
  ['and', 'both'],
  ['or', 'either'],
  ['except', 'left without right'],
  ['order by', 'sorts'],
]

/**
 * The kinds of token that may follow the text before the caret. `item` and `comma` belong to a
 * list, `end` follows a direction.
 */
type Expected =
  | 'path'
  | 'operator'
  | 'value'
  | 'list'
  | 'item'
  | 'comma'
  | 'connective'
  | 'orderPath'
  | 'direction'
  | 'end'

const path =
  /:?[^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\]+(?:\.[^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\]+|\{\d+\}|\[[a-z]?\])*/iy
const orderBy = /order[ \t\r\n]+by(?![^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\])/iy
const joint = /(?:and|or|except)(?![^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\])|&&?|\|\|?|\^/iy
const comparator =
  /(?:(?:(?!!!\d)[<>=#%!])+|[^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\]+)(?:[ \t\r\n]*not(?![^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\]))?/iy

type Step = readonly [sign: RegExp, then: Expected]

/**
 * The tokens that each place accepts, and the place that follows. The server's grammar defines the
 * filter; a test compares these steps with it. The steps also accept unfinished filters, which the
 * grammar refuses.
 */
const steps: Readonly<Record<Expected, readonly Step[]>> = {
  path: [
    [/[(!]|not(?![^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\])/iy, 'path'],
    [/'[^']*'|"[^"]*"/y, 'connective'],
    [/['"]/y, 'path'],
    [orderBy, 'orderPath'],
    [path, 'operator'],
  ],
  operator: [
    [joint, 'path'],
    [/\)/y, 'connective'],
    [orderBy, 'orderPath'],
    [comparator, 'value'],
  ],
  value: [
    [/'[^']*'|"[^"]*"|!![-\d]+!!/y, 'connective'],
    [/['"][\s\S]*/y, 'value'],
    [/[^ \t\r\n<>=()#&^|%!]+(?:!\d+!\d+)?/y, 'connective'],
  ],
  list: [
    [/\[/y, 'item'],
    [path, 'connective'],
  ],
  item: [
    [/\]/y, 'connective'],
    [/'[^']*'|"[^"]*"/y, 'comma'],
    [/['"][\s\S]*/y, 'item'],
    [/[^ \t\r\n<>=()#&^|%!,\]]+/y, 'comma'],
  ],
  comma: [
    [/,/y, 'item'],
    [/\]/y, 'connective'],
  ],
  connective: [
    [joint, 'path'],
    [orderBy, 'orderPath'],
    [/['")]/y, 'connective'],
  ],
  orderPath: [[path, 'direction']],
  direction: [
    [/(?:asc|desc)(?![^ \t\r\n<>=()#&^|%!.,:;'"`[\]{}\\])/iy, 'end'],
    [/,/y, 'orderPath'],
  ],
  end: [[/,/y, 'orderPath']],
}

/**
 * The completions at the caret, from the text before it. There are none where only a value of the
 * user can follow.
 */
export function complete(
  text: string,
  caret: number,
  dataClass: DataClass,
  model: Model,
): Completions {
  const before = text.slice(0, caret)
  const from = startOfLast(before, /[\s'"[\]()=!<>#%&|^,]/)
  const word = before.slice(from)
  const { expected, attribute } = stateAfter(before.slice(0, from), dataClass, model)
  const typed = word.toLowerCase()
  const matching = (pairs: readonly (readonly [string, string])[]) =>
    pairs
      .filter(([name]) => name.startsWith(typed) && name !== typed)
      .map(([name, detail]) => ({ insert: `${name} `, label: name, detail }))
  switch (expected) {
    case 'path':
    case 'orderPath':
      return pathsAt(word, from, dataClass, model, expected === 'orderPath')
    case 'operator':
      return { from, items: matching(operatorsOf(attribute)) }
    case 'value':
    case 'item':
      return {
        from,
        items:
          attribute?.type === 'bool'
            ? matching([
                ['true', ''],
                ['false', ''],
              ])
            : [],
      }
    case 'direction':
      return {
        from,
        items: matching([
          ['asc', 'smallest first'],
          ['desc', 'largest first'],
        ]),
      }
    case 'connective':
      return { from, items: matching(connectives) }
    case 'list':
    case 'comma':
    case 'end':
      return { from, items: [] }
  }
}

/**
 * Where the characters at the end begin that are no delimiters. A search with `$` would try each
 * place of the text: a pasted filter of 10,000 characters would stop the page for seconds.
 */
function startOfLast(text: string, delimiter: RegExp): number {
  let at = text.length
  while (at > 0 && !delimiter.test(text[at - 1]!)) at--
  return at
}

/** A value that is being typed. */
export interface ValueAt {
  readonly dataClass: DataClass
  readonly attribute: Attribute
  readonly typed: string
  /** Where the value begins, with its quote. */
  readonly from: number
}

/** The value at the caret; null where something else is expected. */
export function valueAt(
  text: string,
  caret: number,
  dataClass: DataClass,
  model: Model,
): ValueAt | null {
  const before = text.slice(0, caret)
  const quote = Math.max(before.lastIndexOf("'"), before.lastIndexOf('"'))
  const from = quote >= 0 ? quote : startOfLast(before, /[\s[\](),]/)
  const typed = before.slice(quote >= 0 ? quote + 1 : from)
  const { expected, attribute, owner } = stateAfter(before.slice(0, from), dataClass, model)
  if (attribute === undefined || owner === undefined) return null
  if (expected !== 'value' && expected !== 'item') return null
  return { dataClass: owner, attribute, typed, from }
}

function operatorsOf(attribute: Attribute | undefined): readonly (readonly [string, string])[] {
  const mayBeText =
    attribute === undefined || attribute.type === 'string' || attribute.type === 'object'
  const fitting = OPERATORS.filter(({ isTextOnly }) => mayBeText || !isTextOnly)
  return [...fitting.map(({ spelling, meaning }) => [spelling, meaning] as const), ...nullTests]
}

function pathsAt(
  word: string,
  start: number,
  dataClass: DataClass,
  model: Model,
  isOrder: boolean,
): Completions {
  const dot = word.lastIndexOf('.')
  const typed = word.slice(dot + 1).toLowerCase()
  const owner = dot < 0 ? dataClass : ownerOf(word.slice(0, dot).split('.'), dataClass, model)
  const from = start + dot + 1
  if (owner === undefined) return { from, items: [] }
  const fitting = owner.attributes
    .filter(
      ({ name, type }) =>
        name.toLowerCase().startsWith(typed) && type !== 'image' && type !== 'blob',
    )
    .filter((one) => !(isOrder && one.kind === 'relatedEntities'))
    .map((one) => ({
      insert: one.target === null ? `${one.name} ` : `${one.name}.`,
      label: one.name,
      detail: one.target === null ? one.type : `→ ${one.target}`,
    }))
  const isNot = dot < 0 && !isOrder && typed !== '' && 'not'.startsWith(typed) && typed !== 'not'
  return {
    from,
    items: isNot ? [...fitting, { insert: 'not ', label: 'not', detail: 'all others' }] : fitting,
  }
}

/**
 * The dataclass at the end of a relation path. `{2}` after a relation means another related entity.
 */
function ownerOf(
  names: readonly string[],
  dataClass: DataClass,
  model: Model,
): DataClass | undefined {
  let owner: DataClass | undefined = dataClass
  for (const name of names) {
    const target: string | null = attributeOf(owner, name.replace(/\{\d+\}$/, ''))?.target ?? null
    owner = target === null ? undefined : model.classes.get(target)
  }
  return owner
}

function stateAfter(text: string, dataClass: DataClass, model: Model) {
  let expected: Expected = 'path'
  let attribute: Attribute | undefined
  let owner: DataClass | undefined
  for (let at = 0; at < text.length; ) {
    const step: Step | undefined = steps[expected].find(([sign]) => {
      sign.lastIndex = at
      return sign.test(text)
    })
    // A blank, or an invalid token.
    if (step === undefined) {
      at++
      continue
    }
    const [sign, then]: Step = step
    if (sign === path && expected === 'path') {
      const names = text.slice(at, sign.lastIndex).split('.')
      owner = ownerOf(names.slice(0, -1), dataClass, model)
      attribute = attributeOf(owner, names.at(-1) ?? '')
    }
    const token = text.slice(at, sign.lastIndex).toLowerCase()
    expected = sign === comparator && listOperators.has(token) ? 'list' : then
    at = sign.lastIndex
  }
  return { expected, attribute, owner }
}
