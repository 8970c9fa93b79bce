import { checkLimit, type FilterLimits } from './limits.ts'
import type { ConditionSyntax, PlaceholderSyntax, ValueSyntax } from './syntax.ts'

const NO_PLACEHOLDERS = Object.freeze({ names: Object.freeze([]), forAttributes: false })

/**
 * The placeholders of a condition, each once, in the order of the text, and whether one of them
 * stands for an attribute. Throws `filterTooLarge`.
 */
export function findPlaceholders(
  text: string,
  condition: ConditionSyntax | null,
  limits: FilterLimits,
): { readonly names: readonly string[]; readonly forAttributes: boolean } {
  if (condition === null || !text.includes(':')) return NO_PLACEHOLDERS
  const found: PlaceholderSyntax[] = []
  const forAttributes = gather(condition, found)
  const names = [...new Set(found.map(({ name }) => name))]
  checkLimit(limits, 'maxPlaceholders', names.length)
  return { names: Object.freeze(names), forAttributes }
}

/** True when a placeholder stands for an attribute. */
function gather(condition: ConditionSyntax, found: PlaceholderSyntax[]): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      let forAttributes = false
      for (const part of condition.parts) forAttributes = gather(part, found) || forAttributes
      return forAttributes
    }
    case 'except': {
      const isLeft = gather(condition.left, found)
      return gather(condition.right, found) || isLeft
    }
    case 'not':
      return gather(condition.part, found)
    case 'comparison':
      if (condition.path.kind === 'placeholder') found.push(condition.path)
      gatherValues(condition.value, found)
      return condition.path.kind === 'placeholder'
    case 'isTrue':
      if (condition.path.kind === 'placeholder') found.push(condition.path)
      return condition.path.kind === 'placeholder'
  }
}

function gatherValues(value: ValueSyntax, found: PlaceholderSyntax[]): void {
  if (value.kind === 'placeholder') found.push(value)
  else if (value.kind === 'list')
    for (const item of value.items) if (item.kind === 'placeholder') found.push(item)
}
