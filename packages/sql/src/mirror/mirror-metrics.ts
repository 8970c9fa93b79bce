import { type MetricFamily, oneMetric } from '@entia/engine'

type Counts = Iterable<readonly [label: string, count: number]>

/** What a mirror reports of itself. */
export interface MirrorFigures {
  readonly entities: number
  /** Null while the database answers all reads. */
  readonly globalStamp: number | null
  /** Why it stays off; null if it does not. */
  readonly off: string | null
  /** By reason. */
  readonly fills: Counts
  /** By what answered. */
  readonly reads: Counts
}

export const mirrorFamilies = (mirror: MirrorFigures): readonly MetricFamily[] => [
  oneMetric(
    'gauge',
    'mirror_up',
    '1 if the mirror answers reads; 0 while it is filled or off.',
    mirror.globalStamp === null ? 0 : 1,
  ),
  {
    ...oneMetric('gauge', 'mirror_off', 'Why the mirror stays off until a restart.', 0),
    samples: mirror.off === null ? [] : [{ labels: { reason: mirror.off }, value: 1 }],
  },
  oneMetric('gauge', 'mirror_entities', 'Mirrored entities.', mirror.entities),
  oneMetric(
    'gauge',
    'mirror_global_stamp',
    'The global stamp that the mirror has reached.',
    mirror.globalStamp ?? 0,
  ),
  {
    ...oneMetric('counter', 'mirror_fills_total', 'Fills of the mirror.', 0),
    samples: samplesOf('reason', mirror.fills),
  },
  {
    ...oneMetric(
      'counter',
      'mirror_reads_total',
      'Reads of mirrored dataclasses, by what answered: the mirror, or the database because the mirror was behind or did not have all.',
      0,
    ),
    samples: samplesOf('answer', mirror.reads),
  },
]

const samplesOf = (label: string, counts: Counts): MetricFamily['samples'] =>
  Array.from(counts, ([key, value]) => ({ labels: { [label]: key }, value }))
