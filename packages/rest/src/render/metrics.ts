import type { BatchOutcome } from '@entia/core/internal'
import type { MetricFamily, Sample } from '@entia/engine'
import type { OpenStreamInfo } from '../endpoints/context/operator-desk.ts'

/** The text format of Prometheus, version 0.0.4. */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join('')
}

function familyText({ name, type, help, samples }: MetricFamily): string {
  const lines = [`# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}`, `# TYPE ${name} ${type}`]
  for (const { suffix = '', labels = {}, value } of samples)
    lines.push(`${name}${suffix}${labelText(labels)} ${numberText(value)}`)
  return `${lines.join('\n')}\n`
}

function labelText(labels: { readonly [name: string]: string }): string {
  const pairs = Object.entries(labels).map(
    ([name, value]) => `${name}="${value.replace(/[\\\n"]/g, escaped)}"`,
  )
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (character: string): string => (character === '\n' ? '\\n' : `\\${character}`)

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}

/** The figures of the server itself. */
export interface RequestFigures {
  /** Answers by method and by the first digit of their status. */
  readonly answers: readonly {
    readonly method: string
    readonly status: string
    readonly count: number
  }[]
  /** The samples of a histogram in seconds. */
  readonly durations: readonly Sample[]
  readonly inFlight: number
  /** Requests refused by a limit, by error code. */
  readonly refused: readonly { readonly code: string; readonly count: number }[]
}

/** The figures of open streams. */
export interface StreamFigures {
  readonly open: readonly Pick<OpenStreamInfo, 'kind' | 'behindMilliseconds'>[]
  /** Answered batches of replicas, by outcome. */
  readonly batches: { readonly [outcome in BatchOutcome['kind']]: number }
}

/** Renders all metrics as text; `requests` is null if requests are not counted. */
export function renderMetrics(
  engine: readonly MetricFamily[],
  streams: StreamFigures,
  requests: RequestFigures | null,
): string {
  return prometheusText([
    ...engine,
    ...streamFamilies(streams),
    ...(requests === null ? [] : requestFamilies(requests)),
  ])
}

function streamFamilies({ open, batches }: StreamFigures): readonly MetricFamily[] {
  const kinds = (['live', 'replica'] as const).map((kind) => ({
    labels: { kind },
    behind: open.filter((stream) => stream.kind === kind).map((each) => each.behindMilliseconds),
  }))
  return [
    {
      name: 'entia_streams',
      type: 'gauge',
      help: 'Open streams: of live queries, and of replicas.',
      samples: kinds.map(({ labels, behind }) => ({ labels, value: behind.length })),
    },
    {
      name: 'entia_streams_behind_seconds',
      type: 'gauge',
      help: 'Since when changes wait for the slowest client of a stream.',
      samples: kinds.map(({ labels, behind }) => ({
        labels,
        value: Math.max(0, ...behind) / 1000,
      })),
    },
    {
      name: 'entia_replica_batches_total',
      type: 'counter',
      help: 'Answered batches of replicas, by what was decided.',
      samples: Object.entries(batches).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
  ]
}

function requestFamilies(requests: RequestFigures): readonly MetricFamily[] {
  const { answers, durations, inFlight, refused } = requests
  return [
    {
      name: 'entia_requests_total',
      type: 'counter',
      help: 'Answered requests, by method and class of status.',
      samples: answers.map(({ method, status, count }) => ({
        labels: { method, status },
        value: count,
      })),
    },
    {
      name: 'entia_request_duration_seconds',
      type: 'histogram',
      help: 'From the request to its answer, without sending it.',
      samples: durations,
    },
    {
      name: 'entia_requests_in_flight',
      type: 'gauge',
      help: 'Requests that are being answered.',
      samples: [{ value: inFlight }],
    },
    {
      name: 'entia_requests_refused_total',
      type: 'counter',
      help: 'Requests that a limit refused, by the code of the error.',
      samples: refused.map(({ code, count }) => ({ labels: { code }, value: count })),
    },
  ]
}
