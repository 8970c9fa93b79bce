import { ODD_NAMES } from './odd-values.ts'

/** The model of the club as plain data, independent of the engine. */
export type ClassName = 'Team' | 'Player' | 'Pass' | 'Oddity'
export const CLASS_NAMES: readonly ClassName[] = ['Team', 'Player', 'Pass', 'Oddity']
export type Value = string | number | null
export type Key = string | number
export type Row = { readonly [name: string]: Value }

/** An entity. The object is its identity: an update replaces values, never the record. */
export interface PlainRecord {
  readonly className: ClassName
  row: Row
  stamp: number
  /** Epoch milliseconds. */
  time: number
}
export interface Relation {
  readonly owner: ClassName
  readonly name: string
  /** The attribute in which a row of the owner holds the key of the target. */
  readonly key: string
  readonly target: ClassName
  readonly onDelete: 'null' | 'cascade' | 'restrict'
}
export const RELATIONS: readonly Relation[] = [
  { owner: 'Team', name: 'lead', key: 'lead', target: 'Player', onDelete: 'null' },
  { owner: 'Player', name: 'team', key: 'teamID', target: 'Team', onDelete: 'null' },
  { owner: 'Player', name: 'captain', key: 'captain', target: 'Player', onDelete: 'cascade' },
  { owner: 'Pass', name: 'holder', key: 'holder', target: 'Player', onDelete: 'cascade' },
  { owner: 'Pass', name: 'sponsor', key: 'sponsor', target: 'Team', onDelete: 'restrict' },
]
export const ATTRIBUTES: { readonly [K in ClassName]: readonly string[] } = {
  Team: ['ID', 'name', 'motto', 'lead'],
  Player: ['ID', 'name', 'nick', 'score', 'teamID', 'captain'],
  Pass: ['code', 'colour', 'holder', 'sponsor'],
  Oddity: ['ID', ...ODD_NAMES],
}
export const keyName = (className: ClassName): string => (className === 'Pass' ? 'code' : 'ID')
export const keyOf = (record: PlainRecord): Key => record.row[keyName(record.className)] as Key
export const folded = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Thrown where the store must refuse, with the expected code. */
export class Refused extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

export type Places = { readonly [K in ClassName]: (PlainRecord | null)[] }
type Sequences = { [K in Exclude<ClassName, 'Pass'>]: number }
export interface PlainSnapshot {
  readonly places: Places
  readonly sequences: Sequences
  readonly values: ReadonlyMap<PlainRecord, Pick<PlainRecord, 'row' | 'stamp' | 'time'>>
}
/** The values of a write, and the reason for its refusal, if any. */
export interface Input {
  readonly values: Row
  readonly wrong?: 'type' | 'name' | 'key' | null | undefined
}

export function refuseWrong(wrong: Input['wrong']): void {
  if (wrong === 'type') throw new Refused('valueInvalid')
  if (wrong === 'name') throw new Refused('attributeNotFound')
}
export const changedNames = (a: Row, b: Row): string[] =>
  Object.keys(a).filter((name) => a[name] !== b[name])
export const copied = ({ Team, Player, Pass, Oddity }: Places): Places => ({
  Team: [...Team],
  Player: [...Player],
  Pass: [...Pass],
  Oddity: [...Oddity],
})

/** An open transaction. */
export interface Open {
  /** Checks at the end: missing targets first, then relations that restrict removals. */
  readonly dangling: [PlainRecord, Relation][]
  readonly restricted: [Relation, Key][]
  /** The after-hooks to call, in the order of first writes. */
  readonly after: Map<PlainRecord, 'afterSave' | 'afterRemove'>
  readonly born: Set<PlainRecord>
  /** Increases with each write. */
  version: number
  /** A write was refused after its hooks had written, so the transaction cannot be committed. */
  failure: unknown
}
