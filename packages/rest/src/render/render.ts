import { type EntiaError, isEntiaError } from '@entia/core'
import type { Names } from '@entia/engine'
import type { Answer, GroupsAnswer } from '../endpoints/context/answer.ts'
import { allAggregates, bareAggregate, groupTexts } from './aggregates.ts'
import { renderCatalog } from './catalog.ts'
import { renderDashboard } from './dashboard.ts'
import { knownLayout, printOf, type RenderOptions } from './entity.ts'
import { entityEtag } from './etag.ts'
import { renderResult } from './function-result.ts'
import { renderInfo, renderLock } from './info.ts'
import {
  formatDateOnly,
  headerDate,
  type JsonObject,
  joinMembers,
  membersOf,
  objectOf,
  writeValue,
} from './layout.ts'
import { renderMedia, renderMediaAddress } from './media.ts'
import { openApiDocument } from './openapi/document.ts'
import { planHeader, renderQueryPath, renderQueryPlan } from './query-plan.ts'
import type { Reply } from './serialize.ts'
import { errorStack, statusOfError } from './status.ts'
import { entitySetUri } from './uri.ts'
import { renderRemoved, renderWritten } from './written.ts'

/** Answers that are sent as a whole. */
export type WholeAnswer = Exclude<Answer, { kind: 'live' | 'feed' }>

/** Renders an answer, whose listing has these texts. Pure: equal answers give equal replies. */
export function renderAnswer(
  answer: WholeAnswer,
  options: RenderOptions,
  texts: readonly string[],
): Reply {
  switch (answer.kind) {
    case 'verbs':
      return reply({ ok: true }, { allow: answer.allowed.join(', ') })
    case 'catalog':
      return reply(renderCatalog(answer, options.basePath))
    case 'operator':
      return reply(answer.value)
    case 'openapi':
      return renderOpenApi(answer.names, options)
    case 'metrics':
      return { status: 200, headers: { 'content-type': METRICS_TYPE }, body: answer.text }
    case 'entity':
      return renderEntity(answer, options, texts)
    case 'selection':
      return renderSelection(answer, options, texts)
    case 'intersects':
      return bare(JSON.stringify(answer.value), answer.plan)
    case 'done':
      return reply({ ok: true })
    case 'batches':
      return reply({
        instance: answer.instanceId,
        era: answer.era,
        outcomes: answer.outcomes,
        ...(Object.keys(answer.lease).length > 0 && { lease: answer.lease }),
      })
    case 'called':
      return { status: 200, headers: {}, body: renderResult(answer, options) }
    case 'reply': {
      const { status, mediaType, body } = answer.reply
      return { status, headers: { 'content-type': mediaType }, body }
    }
    case 'result':
      return reply({ result: answer.value ?? null })
    case 'lock':
      return reply(renderLock(answer))
    case 'info':
      return reply(renderInfo(answer))
    case 'privileges':
      return reply({ privileges: answer.privileges })
    case 'aggregates':
      return renderAggregates(answer)
    case 'distinct': {
      const { path, values, plan } = answer
      const body =
        path.type === 'dateOnly'
          ? values.map((day) => formatDateOnly(String(day), options.dateOnlyFormat))
          : values
      return bare(JSON.stringify(body), plan)
    }
    case 'groups':
      return renderGroups(answer, options)
    case 'media':
      return renderMedia(answer)
    case 'mediaAddress':
      return renderMediaAddress(answer, options.basePath)
    case 'uploaded':
      return reply({ ID: answer.id })
    case 'dashboard':
      return {
        status: 200,
        headers: {},
        body: objectOf(planMembers(answer.plan), renderDashboard(answer, texts)),
      }
    case 'written':
      return renderWritten(answer, texts)
    case 'removed':
      return renderRemoved(answer, texts)
  }
}

function renderOpenApi(names: Names, options: RenderOptions): Reply {
  const known = options.openApi?.known
  const body = known?.get(names) ?? JSON.stringify(openApiOfCaller(names, options))
  known?.set(names, body)
  return { status: 200, headers: {}, body }
}

const NO_SITE = { hasUsers: false, cookie: null, plain: null, services: new Set<never>() }

/** The OpenAPI document for a caller who knows these names. Cost: that of `openApiDocument`. */
export function openApiOfCaller(names: Names, options: RenderOptions) {
  const { info = {}, ...site } = options.openApi ?? {}
  return openApiDocument(names, info, { ...NO_SITE, ...options, ...site })
}

/** The content type of Prometheus' text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Renders an error. */
export function renderError(error: EntiaError): Reply {
  const allow = allowOf(error)
  const { details } = error
  const retryAfter = 'retryAfterSeconds' in details ? details.retryAfterSeconds : null
  const headers: Reply['headers'] = {
    ...(allow === null ? {} : { allow }),
    ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
  }
  const body = {
    ...(error.code === 'loginFailed' ? { result: false } : {}),
    __ERROR: errorStack(error),
  }
  return { status: statusOfError(error), headers, body: JSON.stringify(body) }
}

function allowOf(error: EntiaError): string | null {
  if (isEntiaError(error, 'functionNotOnGet')) return 'POST'
  return isEntiaError(error, 'verbNotAllowed') ? error.details.allowed.join(', ') : null
}

function reply(body: unknown, headers: Reply['headers'] = {}): Reply {
  return { status: 200, headers, body: JSON.stringify(body) }
}

type PlanPart = Extract<Answer, { kind: 'selection' }>['plan']

/** The members about the filter: the plan, then the path. */
function planBody({ plan, path, explain }: NonNullable<PlanPart>): object {
  return {
    ...(plan === null ? {} : renderQueryPlan(plan.condition)),
    ...(path === null ? {} : renderQueryPath(path.trace)),
    ...(explain === null
      ? {}
      : { __explain: { filter: explain.filter, text: String(explain), root: explain.root } }),
  }
}

/** These members come first in an object. */
function planMembers(plan: PlanPart): string {
  return plan === null ? '' : membersOf(planBody(plan))
}

/** A bare array or value keeps its form: the plan goes into a header. */
function bare(text: string, plan: PlanPart): Reply {
  const headers = plan === null ? {} : { 'entia-query-plan': planHeader(planBody(plan)) }
  return { status: 200, headers, body: text }
}

function withHeaders(reply: Reply, headers: Reply['headers']): Reply {
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

function renderEntity(
  answer: Extract<Answer, { kind: 'entity' }>,
  options: RenderOptions,
  [own]: readonly string[],
): Reply {
  const { record, text, projection, plan, life } = answer
  const shown = record ?? text
  if (shown === null) return bare('null', plan)
  const layout = knownLayout(options, projection)
  const entity = text === null ? own! : `${layout.naming},${text.text.slice(1, -1)}`
  const body = plan === null ? `{${entity}}` : objectOf(planMembers(plan), entity)
  const { stamp } = shown
  const lastModified = headerDate(shown.timestamp)
  if (life === null || plan !== null)
    return { status: 200, headers: { 'last-modified': lastModified }, body }
  const etag = entityEtag({ stamp, life }, printOf(layout, projection, options))
  return { status: 200, headers: { etag, 'last-modified': lastModified }, body }
}

export function renderSelection(
  answer: Omit<Extract<Answer, { kind: 'selection' }>, 'kind'>,
  options: RenderOptions,
  entities: readonly string[],
): Reply {
  const { projection, page, first, plan, isArray } = answer
  const { globalStamp, count, records, texts, entitySetId } = page
  const { name } = projection.dataClass
  const setUri = entitySetId === null ? null : entitySetUri(options.basePath, name, entitySetId)
  const headers: Reply['headers'] = setUri === null ? {} : { 'content-location': setUri }
  // A bare array has no member for the address of the set; only the header names it.
  if (isArray) return withHeaders(bare(listOf('[', entities, ']'), plan), headers)
  const before = joinMembers(
    setUri === null ? '' : membersOf({ __ENTITYSET: setUri }),
    planMembers(plan),
    `"__DATACLASS":${writeValue(name)},"__entityModel":${writeValue(name)}`,
    `"__GlobalStamp":${globalStamp},"__COUNT":${count},"__FIRST":${first}`,
    '"__ENTITIES":[',
  )
  return {
    status: 200,
    headers,
    body: listOf(`{${before}`, entities, `],"__SENT":${(texts ?? records).length}}`),
  }
}

function renderGroups(answer: GroupsAnswer, options: RenderOptions): Reply {
  const { dataClass, globalStamp, count, first, rows, plan, isArray } = answer
  const groups = groupTexts(answer, options.dateOnlyFormat)
  if (isArray) return bare(listOf('[', groups, ']'), plan)
  const before = joinMembers(
    planMembers(plan),
    `"__DATACLASS":${writeValue(dataClass.name)}`,
    `"__GlobalStamp":${globalStamp},"__COUNT":${count},"__FIRST":${first},"__GROUPS":[`,
  )
  const body = listOf(`{${before}`, groups, `],"__SENT":${rows.length}}`)
  return { status: 200, headers: {}, body }
}

/** Joins a list with its prefix and suffix in one step, since it may be long. */
function listOf(before: string, texts: readonly string[], behind: string): string {
  if (texts.length === 0) return before + behind
  const items = texts.slice()
  items[0] = before + items[0]
  items[items.length - 1] += behind
  return items.join(',')
}

function renderAggregates(answer: Extract<Answer, { kind: 'aggregates' }>): Reply {
  const { paths, aggregates, only, plan } = answer
  if (only !== null) return bare(JSON.stringify(bareAggregate(aggregates[0], paths[0], only)), plan)
  const body: JsonObject = Object.create(null)
  for (const [at, path] of paths.entries()) body[path.path] = allAggregates(aggregates[at]!, path)
  return { status: 200, headers: {}, body: objectOf(planMembers(plan), membersOf(body)) }
}
