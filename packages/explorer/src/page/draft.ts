import type { Changed } from './change-rows.ts'
import { type FieldText, parseInput } from './field-value.ts'
import { type DataClass, membersOf } from './model.ts'
import type { Unsaved } from './use-unsaved.ts'

type Draft = Unsaved['draft']

export function withText(draft: Draft, name: string, text: FieldText): Draft {
  return new Map([...draft, [name, text]])
}

/** The texts that were typed while others were saved. */
export function unsent(draft: Draft, sent: Draft): Draft {
  return new Map([...draft].filter(([name, text]) => !sent.has(name) || sent.get(name) !== text))
}

export function bodyOf(dataClass: DataClass, draft: Draft) {
  const values: Record<string, unknown> = {}
  const problems = new Map<string, string>()
  for (const attribute of dataClass.attributes) {
    const text = draft.get(attribute.name)
    if (text === undefined) continue
    const parsed = parseInput(text, attribute)
    if ('problem' in parsed) problems.set(attribute.name, parsed.problem)
    else values[attribute.name] = parsed.value
  }
  return { values, problems }
}

/** The values that a save replaces. */
export function changedFrom(
  base: unknown,
  stamp: number,
  values: Readonly<Record<string, unknown>>,
): Changed {
  const { __KEY, __STAMP, ...before } = membersOf(base)
  const replaced = Object.keys(values).map((name) => [name, before[name] ?? null])
  return {
    key: String(__KEY),
    stampBefore: Number(__STAMP),
    stamp,
    before: Object.fromEntries(replaced),
  }
}
