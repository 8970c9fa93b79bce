import type { ClassModel, StorageAttribute } from './catalog.ts'

/** The attributes that take numbers from the sequence of their dataclass. */
export const numberedAttributes = ({ storage }: ClassModel): readonly StorageAttribute[] =>
  storage.filter(({ type, autoSequence }) => autoSequence && type !== 'uuid')
