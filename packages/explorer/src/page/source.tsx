import { useRef, useState } from 'preact/hooks'
import { selectionPath } from './addresses.ts'
import type { Refusal } from './api.ts'
import type { DataClass } from './model.ts'
import { Problem } from './problem.tsx'
import { type Reader, readerOfAll } from './reader.ts'
import { readerOfSample, readSample, type Sample } from './sample.ts'
import type { Scene } from './scene.ts'
import { Smaller } from './smaller.tsx'

/** What a summary is read from: the whole selection, or a sample after the user asked for one. */
export interface Source {
  /** Differs for every content. */
  readonly key: string
  /** The sample, once it is read; null while all is read. */
  readonly sample: Sample | null
  readonly isSampled: boolean
  readonly setSampled: (isSampled: boolean) => void
  read<T>(signal: AbortSignal, from: (reader: Reader) => Promise<T>): Promise<T>
}

/** `names`: the attributes that a sample is read with. */
export function useSource(scene: Scene, names: readonly string[]): Source {
  const { place, ask, version } = scene
  const selection = JSON.stringify([selectionPath(place), place.filter])
  const [sampled, setSampled] = useState('')
  const [sample, setSample] = useState<Sample | null>(null)
  const reading = useRef<{ key: string; sample: Promise<Sample> } | null>(null)
  const isSampled = sampled === selection
  const attributes = [...new Set(names)].filter(Boolean)
  const key = JSON.stringify([selection, version, isSampled, isSampled ? attributes : []])
  return {
    key,
    sample: isSampled ? sample : null,
    isSampled,
    setSampled: (next) => {
      reading.current = null
      setSample(null)
      setSampled(next ? selection : '')
    },
    async read(signal, from) {
      if (!isSampled) return from(readerOfAll(ask, place, signal))
      // All parts of a view are of one sample.
      if (reading.current?.key !== key)
        reading.current = { key, sample: readSample(ask, place, attributes) }
      const read = await reading.current.sample
      setSample(read)
      return from(readerOfSample(read))
    },
  }
}

/** Says that the summary is of a sample. */
export function SampleNote({ source }: { source: Source }) {
  const { sample, isSampled, setSampled } = source
  if (!isSampled) return null
  const size = (count: number) => count.toLocaleString('en')
  return (
    <output class="sample">
      {sample === null
        ? 'Reading a sample …'
        : `From a sample: ${size(sample.entities.length)} of ${size(sample.of)} entities. Counts and sums are of the sample.`}{' '}
      <button type="button" class="quiet" onClick={() => setSampled(false)}>
        Read all
      </button>
    </output>
  )
}

interface RefusedProps {
  readonly scene: Scene
  readonly dataClass: DataClass
  readonly source: Source
  readonly refusal: Refusal
}

/** A refusal of a summary, with smaller ones if it is too expensive. */
export function Refused({ scene, dataClass, source, refusal }: RefusedProps) {
  const { isSampled, setSampled } = source
  const sample = isSampled ? {} : { takeSample: () => setSampled(true) }
  return (
    <Problem refusal={refusal}>
      {refusal.isTooExpensive && <Smaller scene={scene} dataClass={dataClass} {...sample} />}
    </Problem>
  )
}
