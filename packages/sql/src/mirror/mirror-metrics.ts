import { counter, gauge, labelled, type MetricFamily } from '@entia/engine'

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
  gauge(
    'mirror_up',
    '1 if the mirror answers reads; 0 while it is filled or off.',
    mirror.globalStamp === null ? 0 : 1,
  ),
  gauge(
    'mirror_off',
    'Why the mirror stays off until a restart.',
    labelled('reason', mirror.off === null ? [] : [[mirror.off, 1]]),
  ),
  gauge('mirror_entities', 'Mirrored entities.', mirror.entities),
  gauge(
    'mirror_global_stamp',
    'The global stamp that the mirror has reached.',
    mirror.globalStamp ?? 0,
  ),
  counter('mirror_fills_total', 'Fills of the mirror.', labelled('reason', mirror.fills)),
  counter(
    'mirror_reads_total',
    'Reads of mirrored dataclasses, by what answered: the mirror, or the database because the mirror was behind or did not have all.',
    labelled('answer', mirror.reads),
  ),
]
