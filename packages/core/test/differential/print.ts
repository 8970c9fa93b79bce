import type { FilterParameters } from '../../src/model/selection-types.ts'
import type { Random } from './random.ts'
import type { Comparison, Condition, Literal, Operator } from './tree.ts'

/** A filter as users write it. */
export interface Printed {
  readonly text: string
  readonly parameters: FilterParameters | undefined
}

const SPELLINGS: { readonly [O in Operator]: readonly string[] } = {
  equal: ['=', '=', '=', '==', 'eq', 'like', 'LIKE'],
  identical: ['===', '===', 'is', 'eqeq', 'IS'],
  notEqual: ['!=', '!=', '#', '= not', '== not', '= NOT'],
  notIdentical: ['!==', '!==', 'is not', 'isnot', '##', 'nene', 'Is Not'],
  greater: ['>', '>', 'gt', 'GT'],
  greaterEqual: ['>=', '>=', 'gte', 'gteq'],
  less: ['<', '<', 'lt'],
  lessEqual: ['<=', '<=', 'lte', 'lteq'],
  begin: ['begin', 'BEGIN', 'Begin'],
  end: ['end', 'END', 'End'],
  keyword: ['%', '%%'],
  in: ['in', 'IN'],
}
const JOINTS = {
  and: [' and ', ' and ', ' AND ', ' && ', ' & ', '&', '\tand\n'],
  or: [' or ', ' or ', ' Or ', ' || ', ' | ', '||'],
  except: [' except ', ' except ', ' EXCEPT ', ' ^ ', '^'],
} as const

/**
 * Writes a condition in one of its possible spellings, with its values as literals or placeholders.
 */
export function printFilter(random: Random, condition: Condition): Printed {
  const printer = new Printer(random)
  return { text: printer.condition(condition), parameters: printer.parameters }
}

class Printer {
  readonly #random: Random
  readonly #style: 'position' | 'name' | 'longForm'
  readonly #values: unknown[] = []
  readonly #named: { [name: string]: unknown } = {}
  readonly #nested: { [name: string]: unknown } = {}
  readonly #paths: { [name: string]: unknown } = {}
  #count = 0

  constructor(random: Random) {
    this.#random = random
    this.#style = random.pick(['position', 'position', 'name', 'longForm'])
  }

  get parameters(): FilterParameters | undefined {
    if (this.#count === 0) return undefined
    if (this.#style === 'position') return this.#values
    const isNested = Object.keys(this.#nested).length > 0
    const named = isNested ? { ...this.#named, in: this.#nested } : this.#named
    return this.#style === 'name'
      ? { ...named, ...this.#paths }
      : { parameters: named, attributes: this.#paths }
  }

  condition(condition: Condition): string {
    const text = this.#bare(condition)
    return this.#random.chance(0.05) ? `(${text})` : text
  }

  #bare(condition: Condition): string {
    switch (condition.kind) {
      case 'comparison':
        return this.#comparison(condition)
      case 'not':
        return `${this.#random.pick(['not ', 'NOT ', '!', '! '])}${this.#tight(condition.part, ['comparison', 'not'])}`
      case 'and':
        return condition.parts
          .map((part) => this.#tight(part, ['comparison', 'not', 'and']))
          .join(this.#random.pick(JOINTS.and))
      default: {
        const left = this.#tight(condition.left, ['comparison', 'not', 'and', 'or', 'except'])
        const right = this.#tight(condition.right, ['comparison', 'not', 'and'])
        return `${left}${this.#random.pick(JOINTS[condition.kind])}${right}`
      }
    }
  }

  /** Adds parentheses unless the condition binds tightly enough. */
  #tight(condition: Condition, kinds: readonly Condition['kind'][]): string {
    return kinds.includes(condition.kind) ? this.condition(condition) : `(${this.#bare(condition)})`
  }

  #comparison(comparison: Comparison): string {
    const path = this.#path(comparison)
    const { operator, value } = comparison
    if (value.kind === 'alone') return path
    const sign = this.#random.pick(SPELLINGS[operator])
    // Spaces beside signs are optional, but a sign of letters needs them.
    const isTight = /^[^a-z]+$/i.test(sign) && this.#random.chance(0.3)
    const written = this.#value(comparison)
    return isTight ? `${path}${sign}${written}` : `${path} ${sign} ${written}`
  }

  #path({ steps, attribute, properties, isMarkLate, isPathGiven }: Comparison): string {
    const marks = steps.map(({ instance }) => instance)
    for (let i = 0; i + 1 < steps.length; i++) {
      const isMoved =
        isMarkLate &&
        marks[i] === 2 &&
        steps[i].relation.kind === 'many' &&
        steps[i + 1].relation.kind === 'one'
      if (isMoved) {
        marks[i] = 1
        marks[i + 1] = 2
      }
    }
    const names = steps.map(({ relation }, i) =>
      marks[i] === 1 ? relation.name : `${relation.name}{2}`,
    )
    const [first] = properties
    const own = first?.name === '' ? `${attribute.name}[${first.element}]` : attribute.name
    const below = properties
      .filter(({ name }) => name !== '')
      .map(({ name, element }) => (element === null ? name : `${name}[${this.#letter(element)}]`))
    const path = [...names, own, ...below].join('.')
    if (!isPathGiven) return path
    return this.#placeholder(
      /[[{]/.test(path) || this.#random.chance(0.5) ? path : path.split('.'),
      this.#paths,
    )
  }

  #letter(letter: string): string {
    return this.#random.chance(0.3) ? letter.toUpperCase() : letter
  }

  #value(comparison: Comparison): string {
    const { value } = comparison
    switch (value.kind) {
      case 'null':
        return this.#random.pick(['null', 'null', 'NULL'])
      case 'alone':
        return ''
      case 'one':
        return this.#literal(value.literal, comparison, false)
      case 'list': {
        if (value.isWhole) {
          const given = value.literals.map(({ form }) =>
            form.kind === 'given' ? form.value : form.text,
          )
          return this.#placeholder(given, this.#named)
        }
        const items = value.literals.map((literal) => this.#literal(literal, comparison, true))
        return `[${items.join(this.#random.pick([', ', ',', ' , ']))}]`
      }
    }
  }

  #literal({ asked, form }: Literal, { properties }: Comparison, isItem: boolean): string {
    if (form.kind === 'given')
      return this.#placeholder(form.value, this.#random.chance(0.3) ? this.#nested : this.#named)
    // Inside an object, a quoted value is a text; an unquoted one is a number or a boolean if it
    // looks like one.
    if (properties.length > 0)
      return typeof asked.value === 'string' ? this.#quoted(form.text) : form.text
    const isBare =
      canStandBare(form.text, isItem) &&
      !(typeof asked.value === 'string' && /^(true|false)$/.test(form.text))
    return isBare && this.#random.chance(0.5) ? form.text : this.#quoted(form.text)
  }

  #quoted(text: string): string {
    const quote = this.#random.chance(0.5) ? "'" : '"'
    let out = ''
    for (let i = 0; i < text.length; i++) {
      const unit = text[i]
      const mustEscape = unit === quote || (unit === '\\' && text[i + 1] === 'u')
      const isEscaped = mustEscape || this.#random.chance(0.05)
      out += isEscaped ? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}` : unit
    }
    return quote + out + quote
  }

  #placeholder(value: unknown, into: { [name: string]: unknown }): string {
    this.#count++
    if (this.#style === 'position') {
      this.#values.push(value)
      return `:${this.#values.length}`
    }
    const name = `v${this.#count}`
    into[name] = value
    return into === this.#nested ? `:in.${name}` : `:${name}`
  }
}

/** True if a text needs no quotes. A date such as `29!2!2024` needs none outside of lists. */
function canStandBare(text: string, isItem: boolean): boolean {
  if (/^(and|or|not|except|null)$/i.test(text)) return false
  if (!isItem && /^(!!\d{4}-\d\d-\d\d!!|\d+!\d+!\d+)$/.test(text)) return true
  return (
    isItem
      ? /^[^\s<>=()#&^|%!\\,\]:[{'"][^\s<>=()#&^|%!\\,\]]*$/
      : /^[^\s<>=()#&^|%!\\:[{'"][^\s<>=()#&^|%!\\]*$/
  ).test(text)
}
