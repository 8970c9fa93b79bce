import type { IR } from '@tanstack/db'
import type { Row } from './rows.ts'

type Expression = IR.BasicExpression

/** Null for neither: a comparison with null. Undefined for what is not decided here. */
type Truth = boolean | null | undefined

/**
 * Whether an expression is true for a row, as TanStack DB decides it. Its own function would need
 * the package at run time, and two versions of it in one page refuse to work.
 */
export function truthOf(expression: Expression, row: Row): Truth {
  if (expression.type !== 'func') {
    const value = valueIn(expression, row)
    return typeof value === 'boolean' ? value : value === null ? null : undefined
  }
  const { name, args } = expression
  switch (name) {
    case 'and':
    case 'or': {
      const parts = args.map((each) => truthOf(each, row))
      if (parts.includes(undefined)) return undefined
      const decisive = name === 'or'
      return parts.includes(decisive) ? decisive : parts.includes(null) ? null : !decisive
    }
    case 'not': {
      const part = truthOf(args[0]!, row)
      return typeof part === 'boolean' ? !part : part
    }
  }
  if (args.some(({ type }) => type === 'func')) return undefined
  const [left, right] = args.map((each) => valueIn(each, row))
  if (name === 'isNull') return left === null || left === undefined
  if (left === null || left === undefined || right === null || right === undefined) return null
  if (name === 'in') return Array.isArray(right) && isPlain(left) ? right.includes(left) : undefined
  if (!isPlain(left) || !isPlain(right) || typeof left !== typeof right) return undefined
  switch (name) {
    case 'eq':
      return left === right
    case 'gt':
      return left > right
    case 'gte':
      return left >= right
    case 'lt':
      return left < right
    case 'lte':
      return left <= right
  }
  return undefined
}

/** The value of a constant or of a path. */
export function valueIn(expression: Expression, row: Row): unknown {
  if (expression.type === 'val') return expression.value
  if (expression.type === 'func') return undefined
  let value: unknown = row
  for (const name of expression.path) {
    if (typeof value !== 'object' || value === null) return value
    value = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
  }
  return value
}

const isPlain = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value)
