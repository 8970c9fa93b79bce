import type { MetricFamily, Sample } from '@entia/engine'

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

/** Renders all metrics as text; `requests` is null if requests are not counted. */
export function renderMetrics(
  engine: readonly MetricFamily[],
  requests: RequestFigures | null,
): string {
  return prometheusText([...engine, ...(requests === null ? [] : requestFamilies(requests))])
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
