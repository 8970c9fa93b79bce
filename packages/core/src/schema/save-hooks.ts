import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Untyped } from '../model/definition.ts'
import { isEntity, keyOf } from '../model/entity.ts'
import type { HookRefusal } from '../model/function-types.ts'

/** A property of the schema whose value the schema checks. */
export interface CheckedProperty {
  readonly name: string
  readonly isNullable: boolean
  readonly isKey: boolean
  /** True for a date, which entities show in one form, and the schema may expect in another. */
  readonly isMoment: boolean
}

interface Values {
  readonly [name: string]: unknown
}

/**
 * Hooks that store the output of a schema for the values of an entity, and refuse what it refuses.
 * The refusal waits for `validateSave`, so that it is reported together with the broken rules.
 */
export function saveHooks(
  schema: StandardSchemaV1,
  properties: readonly CheckedProperty[],
  errCode: number,
) {
  return {
    beforeSave(draft: Untyped, { before }: { readonly before: object | null }): void {
      const result = validate(schema, properties, draft)
      if (result instanceof Promise || result.issues !== undefined) return
      const output = new Map(Object.entries(result.value as Values))
      for (const { name, isKey } of properties)
        if (Object.hasOwn(draft, name) && !(isKey && before !== null))
          draft[name] = output.get(name) ?? null
    },
    validateSave(entity: Values): readonly HookRefusal[] {
      const result = validate(schema, properties, entity)
      if (result instanceof Promise)
        return [
          {
            errCode,
            message:
              'The schema checks asynchronously. A save is synchronous: use synchronous checks.',
          },
        ]
      return (result.issues ?? []).map((issue) => refusalOf(issue, properties, errCode))
    },
  }
}

type Result = StandardSchemaV1.Result<unknown>

/**
 * What the schema says of the values of an entity. It gets null only where it accepts null, the
 * keys of related entities, and dates in the first form that it accepts.
 */
function validate(
  schema: StandardSchemaV1,
  properties: readonly CheckedProperty[],
  values: Values,
): Result | Promise<Result> {
  const given = new Map<string, unknown>()
  for (const { name, isNullable } of properties) {
    // Every property of the schema is an attribute of the dataclass.
    const value: unknown = values[name] ?? null
    if (value !== null || isNullable) given.set(name, isEntity(value) ? keyOf(value) : value)
  }
  const forms = new Map<string, string[]>()
  for (;;) {
    const result = schema['~standard'].validate(Object.fromEntries(given))
    if (result instanceof Promise) {
      // A rejection must not become an unhandled one.
      result.catch(() => undefined)
      return result
    }
    const refused = (result.issues ?? []).map((issue) => placeOf(issue)[0])
    let isOther = false
    for (const { name, isMoment } of properties) {
      const value = given.get(name)
      if (!isMoment || typeof value !== 'string' || !refused.includes(name)) continue
      const left = forms.get(name) ?? formsOf(value)
      forms.set(name, left)
      const next = left.shift()
      if (next === undefined) continue
      given.set(name, next)
      isOther = true
    }
    if (!isOther) return result
  }
}

/**
 * Other forms of a moment: with more and fewer digits, and each without the zone. Last comes the
 * form that entities show, for the message if none is accepted.
 */
function formsOf(moment: string): string[] {
  const match = /^(.*T\d\d:\d\d):(\d\d)\.(\d{3})Z$/.exec(moment)
  if (match === null) return []
  const [, minutes, seconds, fraction] = match
  const digits = [2, 1].map((size) => fraction.slice(0, size))
  const fractions = [fraction, ...digits, `${fraction}000`, `${fraction}000000`]
    .filter((text) => Number(`0.${text}`) === Number(`0.${fraction}`))
    .map((text) => `.${text}`)
  const times = [...(fraction === '000' ? ['', ...fractions] : fractions)].map(
    (text) => `${minutes}:${seconds}${text}`,
  )
  if (fraction === '000' && seconds === '00') times.push(minutes)
  return [...times.map((time) => `${time}Z`), ...times, moment]
}

const placeOf = ({ path }: StandardSchemaV1.Issue): readonly string[] =>
  (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))

function refusalOf(
  issue: StandardSchemaV1.Issue,
  properties: readonly CheckedProperty[],
  errCode: number,
): HookRefusal {
  const place = placeOf(issue)
  const attribute = properties.find(({ name }) => name === place[0])?.name
  const message = place.length === 0 ? issue.message : `${place.join('.')}: ${issue.message}`
  return { errCode, message: `${message}.`, ...(attribute !== undefined && { attribute }) }
}
