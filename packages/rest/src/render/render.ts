import type { EntiaError } from '@entia/core'
import type { Answer } from '../handle/answer.ts'
import type { AggregatePath, Aggregates } from '../handle/engine-door.ts'
import { renderCatalog } from './catalog.ts'
import { dayAsDateTime, formatDateOnly } from './date-text.ts'
import { EntityRenderer, type JsonObject, type RenderOptions } from './entity.ts'
import { errorStack } from './error-stack.ts'
import { membersOf, objectOf } from './json-members.ts'
import { planHeader, renderQueryPlan } from './query-plan.ts'
import { statusOfError } from './status.ts'
import { renderRemoved, renderWritten } from './written.ts'

/** An answer on its way out. */
export interface Reply {
  readonly status: number
  /** Beside those that every answer has; a content type here replaces that of JSON. */
  readonly headers: { readonly [name: string]: string }
  /** JSON text, or the bytes of an image or BLOB. */
  readonly body: string | Uint8Array
}

/** Renders what was found or done. Pure: equal answers give equal replies. */
export function renderAnswer(answer: Answer, options: RenderOptions): Reply {
  switch (answer.kind) {
    case 'verbs':
      return reply({ ok: true }, { allow: answer.allowed.join(', ') })
    case 'catalog':
      return reply(renderCatalog(answer, options.basePath))
    case 'entity':
      return renderEntity(answer, options)
    case 'selection':
      return renderSelection(answer, options)
    case 'aggregates':
      return renderAggregates(answer)
    case 'distinct': {
      const { path, values, plan } = answer
      const body =
        path.type === 'dateOnly' ? values.map((day) => formatDateOnly(String(day), options.dateOnlyFormat)) : values
      return bare(JSON.stringify(body), plan)
    }
    case 'written':
      return { headers: {}, ...renderWritten(answer, new EntityRenderer(options, answer.globalStamp)) }
    case 'removed':
      return { headers: {}, ...renderRemoved(answer, new EntityRenderer(options, answer.globalStamp)) }
  }
}

/** Renders a refusal. */
export function renderError(error: EntiaError): Reply {
  const headers: { [name: string]: string } = error.code === 'verbNotAllowed' ? { allow: allowOf(error) } : {}
  return { status: statusOfError(error), headers, body: JSON.stringify({ __ERROR: errorStack(error) }) }
}

function allowOf(error: EntiaError): string {
  const { details } = error as EntiaError<'verbNotAllowed'>
  return details.allowed.join(', ')
}

function reply(body: unknown, headers: Reply['headers'] = {}): Reply {
  return { status: 200, headers, body: JSON.stringify(body) }
}

type PlanPart = Extract<Answer, { kind: 'selection' }>['plan']

/** The plan goes before everything else of an object. */
function planMembers(plan: PlanPart): string {
  return plan === null ? '' : membersOf(renderQueryPlan(plan.condition))
}

/** A bare array or value keeps its shape: the plan goes into a header. */
function bare(text: string, plan: PlanPart): Reply {
  const headers = plan === null ? {} : { 'entia-query-plan': planHeader(renderQueryPlan(plan.condition)) }
  return { status: 200, headers, body: text }
}

function renderEntity(answer: Extract<Answer, { kind: 'entity' }>, options: RenderOptions): Reply {
  const { record, projection, plan } = answer
  if (record === null) return bare('null', plan)
  const entity = new EntityRenderer(options, answer.globalStamp).renderSingle(record, projection)
  return { status: 200, headers: { etag: `"${record.stamp}"` }, body: objectOf(planMembers(plan), entity) }
}

function renderSelection(answer: Extract<Answer, { kind: 'selection' }>, options: RenderOptions): Reply {
  const { projection, records, plan, isArray } = answer
  const renderer = new EntityRenderer(options, answer.globalStamp)
  const form = isArray ? 'plain' : 'read'
  // A member deleted since keeps its place, and only that.
  const entities = records.map((record) =>
    record === null ? '{"__STAMP":0}' : renderer.render(record, projection, form),
  )
  if (isArray) return bare(`[${entities.join(',')}]`, plan)
  const { name } = projection.dataClass
  const text = objectOf(
    planMembers(plan),
    membersOf({
      __DATACLASS: name,
      __entityModel: name,
      __GlobalStamp: answer.globalStamp,
      __COUNT: answer.count,
      __FIRST: answer.first,
    }),
    `"__ENTITIES":[${entities.join(',')}]`,
    `"__SENT":${entities.length}`,
  )
  return { status: 200, headers: {}, body: text }
}

function renderAggregates(answer: Extract<Answer, { kind: 'aggregates' }>): Reply {
  const { paths, aggregates, only, plan } = answer
  if (only !== null) return bare(JSON.stringify(bareAggregate(aggregates[0], paths[0], only)), plan)
  const body: JsonObject = Object.create(null)
  for (const [at, path] of paths.entries()) body[path.path] = allAggregates(aggregates[at]!, path)
  return { status: 200, headers: {}, body: objectOf(planMembers(plan), membersOf(body)) }
}

function bareAggregate(
  aggregates: Aggregates | undefined,
  path: AggregatePath | undefined,
  only: 'average' | 'count' | 'max' | 'min' | 'sum',
): unknown {
  if (aggregates === undefined || path === undefined) return null
  return only === 'min' || only === 'max' ? bound(aggregates[only], path) : (aggregates[only] ?? null)
}

function allAggregates(aggregates: Aggregates, path: AggregatePath): object {
  const { count, sum, average } = aggregates
  const bounds = { min: bound(aggregates.min, path), max: bound(aggregates.max, path) }
  return path.isNumeric ? { count, sum: sum ?? 0, average: average ?? null, ...bounds } : { count, ...bounds }
}

/** Dates are date-times here, also those that are calendar dates. */
function bound(value: unknown, path: AggregatePath): unknown {
  return path.type === 'dateOnly' && typeof value === 'string' ? dayAsDateTime(value) : (value ?? null)
}
