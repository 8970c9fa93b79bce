import { type Attribute, attributeOf, type DataClass, type Model } from './model.ts'

export interface Completion {
  /** What replaces the text from `from` to the caret. */
  readonly insert: string
  readonly label: string
  /** Said beside the label: a type, a dataclass, or what an operator means. */
  readonly detail: string
}

export interface Completions {
  readonly from: number
  readonly items: readonly Completion[]
}

const operators: readonly (readonly [string, string])[] = [
  ['=', 'equals; @ and * are wildcards'],
  ['!=', 'differs'],
  ['===', 'equals, no wildcards'],
  ['!==', 'differs, no wildcards'],
  ['>', 'is greater'],
  ['>=', 'is greater or equal'],
  ['<', 'is less'],
  ['<=', 'is less or equal'],
  ['begin', 'begins with'],
  ['%', 'holds these words'],
  ['in', 'is one of [a, b]'],
  ['is null', 'has no value'],
  ['is not null', 'has a value'],
]
const textOnly = new Set(['begin', '%'])
const connectives: readonly (readonly [string, string])[] = [
  ['and', 'both'],
  ['or', 'either'],
  ['except', 'left without right'],
  ['order by', 'sorts'],
]

/** What a caret stands behind: the position decides what may follow. */
type Expected = 'path' | 'operator' | 'value' | 'connective' | 'orderPath' | 'direction'

const token = /\s+|'[^']*'?|"[^"]*"?|\[[^\]]*\]?|[()]|,|&&?|\|\|?|\^|!(?!=)|[=!<>#%]+|[^\s'"[\]()=!<>#%&|^,]+/gu

/**
 * What may be written at the caret. Only the text before the caret counts.
 *
 * Answers no items where only a value of the user's own can stand.
 */
export function complete(text: string, caret: number, dataClass: DataClass, model: Model): Completions {
  const before = text.slice(0, caret)
  const word = /[^\s'"[\]()=!<>#%&|^,]*$/u.exec(before)?.[0] ?? ''
  const from = caret - word.length
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
  }
}

function operatorsOf(attribute: Attribute | undefined): readonly (readonly [string, string])[] {
  if (attribute === undefined || attribute.type === 'string' || attribute.type === 'object') return operators
  return operators.filter(([name]) => !textOnly.has(name))
}

function pathsAt(word: string, start: number, dataClass: DataClass, model: Model, isOrder: boolean): Completions {
  const dot = word.lastIndexOf('.')
  const typed = word.slice(dot + 1).toLowerCase()
  const owner = dot < 0 ? dataClass : ownerOf(word.slice(0, dot).split('.'), dataClass, model)
  const from = start + dot + 1
  if (owner === undefined) return { from, items: [] }
  const fitting = owner.attributes
    .filter(({ name, type }) => name.toLowerCase().startsWith(typed) && type !== 'image' && type !== 'blob')
    .filter((one) => !(isOrder && one.kind === 'relatedEntities'))
    .map((one) => ({
      insert: one.target === null ? `${one.name} ` : `${one.name}.`,
      label: one.name,
      detail: one.target === null ? one.type : `→ ${one.target}`,
    }))
  const isNot = dot < 0 && !isOrder && typed !== '' && 'not'.startsWith(typed) && typed !== 'not'
  return { from, items: isNot ? [...fitting, { insert: 'not ', label: 'not', detail: 'all others' }] : fitting }
}

/** The dataclass that a path of relations leads to. `{2}` behind a relation means another entity of the same. */
function ownerOf(names: readonly string[], dataClass: DataClass, model: Model): DataClass | undefined {
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
  for (const [part] of text.matchAll(token)) {
    if (/^\s/.test(part)) continue
    const word = part.toLowerCase()
    if (part === '(') expected = 'path'
    else if (part === ')') expected = 'connective'
    else if (word === 'order' && expected !== 'value') expected = 'orderPath'
    else if (word === 'by' && expected === 'orderPath') continue
    else if (part === ',') expected = expected === 'direction' ? 'orderPath' : expected
    else if (expected === 'orderPath') expected = 'direction'
    else if (expected === 'direction') continue
    else if (/^(and|or|except|not)$/.test(word) && expected !== 'value' && expected !== 'operator') expected = 'path'
    else if (/^(&&?|\|\|?|\^|!)$/.test(part)) expected = 'path'
    else if (/^(and|or|except)$/.test(word) && expected === 'operator') expected = 'path'
    else if (expected === 'path') {
      const names = part.split('.')
      attribute = attributeOf(ownerOf(names.slice(0, -1), dataClass, model), names.at(-1) ?? '')
      expected = 'operator'
    } else if (expected === 'operator') expected = 'value'
    else if (expected === 'value') expected = word === 'not' ? 'value' : 'connective'
  }
  return { expected, attribute }
}
