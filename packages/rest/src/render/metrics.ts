import type { EngineMetrics } from '../engine/engine-metrics.ts'
import { type MetricFamily, prometheusText } from './prometheus-text.ts'

/** The figures of the server itself. */
export interface RequestFigures {
  /** Answers by method and by the first digit of their status. */
  readonly answers: readonly {
    readonly method: string
    readonly status: string
    readonly count: number
  }[]
  /** Cumulative histogram of durations in seconds, without the last bucket. */
  readonly durations: readonly { readonly seconds: number; readonly count: number }[]
  /** The total time of all answers. */
  readonly totalSeconds: number
  readonly inFlight: number
  /** Requests refused by a limit, by error code. */
  readonly refused: readonly { readonly code: string; readonly count: number }[]
}

/** Renders all metrics as text; `requests` is null if requests are not counted. */
export function renderMetrics(
  store: string,
  engine: EngineMetrics,
  requests: RequestFigures | null,
): string {
  return prometheusText([
    ...engineFamilies(store, engine),
    ...(requests === null ? [] : requestFamilies(requests)),
  ])
}

function engineFamilies(store: string, engine: EngineMetrics): readonly MetricFamily[] {
  const one = (
    type: 'counter' | 'gauge',
    name: string,
    help: string,
    value: number,
  ): MetricFamily => ({
    name: `entia_${name}`,
    type,
    help,
    samples: [{ value }],
  })
  return [
    {
      ...one('gauge', 'store_info', 'The store that is served.', 1),
      samples: [{ labels: { store }, value: 1 }],
    },
    one(
      'gauge',
      'uptime_seconds',
      'Time since the store was made.',
      engine.uptimeMilliseconds / 1000,
    ),
    {
      name: 'entia_entities',
      type: 'gauge',
      help: 'Entities of each dataclass.',
      samples: engine.entities.map(({ dataClass, count }) => ({
        labels: { dataclass: dataClass },
        value: count,
      })),
    },
    one(
      'counter',
      'commits_total',
      'Commits so far: the global stamp, which a journal goes on from.',
      engine.globalStamp,
    ),
    one('gauge', 'history_commits', 'Commits that can be gone back to.', engine.historyCommits),
    one('gauge', 'history_bytes', 'What these commits take, about.', engine.historyBytes),
    one('gauge', 'entity_sets', 'Entity sets that are kept.', engine.entitySets),
    one('gauge', 'entity_set_bytes', 'What entity sets take at most.', engine.entitySetBytes),
    one('gauge', 'sessions', 'Open sessions.', engine.sessions),
    one('gauge', 'locks', 'Locked entities.', engine.locks),
    one('gauge', 'uploads', 'Uploads that wait for the change that names them.', engine.uploads),
    one(
      'gauge',
      'kept_text_characters',
      'Entities that are kept as text.',
      engine.keptTextCharacters,
    ),
    one(
      'counter',
      'filters_compiled_total',
      'Filter texts that were not known.',
      engine.filtersCompiled,
    ),
    one(
      'counter',
      'long_reads_total',
      'Reads that took more than one time slice.',
      engine.longReads,
    ),
  ]
}

function requestFamilies(requests: RequestFigures): readonly MetricFamily[] {
  const { answers, durations, totalSeconds, inFlight, refused } = requests
  const count = answers.reduce((sum, answer) => sum + answer.count, 0)
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
      samples: [
        ...durations.map(({ seconds, count }) => ({
          suffix: '_bucket',
          labels: { le: String(seconds) },
          value: count,
        })),
        { suffix: '_bucket', labels: { le: '+Inf' }, value: count },
        { suffix: '_sum', value: totalSeconds },
        { suffix: '_count', value: count },
      ],
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
