import { attribute, defineDataClass } from '../../../core/src/index.ts'

type Row = Record<string, unknown>
interface Team extends Row {
  readonly name: string | null
  readonly players: { readonly count: number }
}

/** The notes that hooks write after a commit. */
export type Log = string[]

/**
 * A model whose writes reach every rule: unique values, all `onDelete` rules, a cycle, computed
 * attributes that follow relations, and hooks that query and write.
 */
export const leagueClasses = (log: Log) => [
  defineDataClass('Team', {
    ID: attribute.long({ key: true, autoSequence: true }),
    name: attribute.string({ unique: true }),
    city: attribute.string({ indexed: true }),
    lead: attribute.relatedEntity('Player'),
    players: attribute.relatedEntities('Player', 'team'),
    size: attribute.computed('long', { get: (team: Team) => team.players.count }),
  }),
  defineDataClass(
    'Player',
    {
      ID: attribute.long({ key: true, autoSequence: true }),
      name: attribute.string({ indexed: true }),
      score: attribute.number({ min: 0 }),
      rank: attribute.long({ unique: true }),
      team: attribute.relatedEntity('Team', { foreignKey: 'teamID' }),
      teamID: attribute.long(),
      captain: attribute.relatedEntity('Player', { onDelete: 'cascade' }),
      mates: attribute.relatedEntities('Player', 'captain'),
      passes: attribute.relatedEntities('Pass', 'holder'),
      teamName: attribute.computed('string', {
        get: ({ team }: Row) => (team as Team | null)?.name ?? 'none',
      }),
    },
    { hooks: playerHooks(log) },
  ),
  defineDataClass('Pass', {
    code: attribute.string({ key: true }),
    holder: attribute.relatedEntity('Player', { onDelete: 'cascade' }),
    sponsor: attribute.relatedEntity('Team', { onDelete: 'restrict' }),
  }),
]

interface Tables {
  dataClass(name: string): {
    query(filter: string): { readonly count: number }
    insert(values: Row): unknown
  }
}

const playerHooks = (log: Log) => ({
  beforeSave(draft: Row, { store }: { readonly store: Tables }) {
    draft.score ??= 0
    const { name } = draft
    if (name === 'count') draft.score = store.dataClass('Player').query('score > 2').count
    if (name === 'found') store.dataClass('Team').insert({ name: 'founded', city: 'Rome' })
  },
  validateSave({ score, team }: Row) {
    if (score === 9 && team === null) return { errCode: 10_001, message: 'Nine needs a team.' }
    return undefined
  },
  validateRemove({ mates }: Row) {
    return (mates as { readonly count: number }).count > 3
      ? { errCode: 10_002, message: 'Too many mates.' }
      : undefined
  },
  afterSave({ ID, name }: Row, { before }: { readonly before: Row | null }) {
    log.push(`saved ${ID} ${name} ${before?.name ?? '-'}`)
  },
  afterRemove({ ID }: Row) {
    log.push(`removed ${ID}`)
  },
})

export const FILTERS = [
  'score > :1',
  'not (score > :1)',
  'name = :2',
  'name = "@a@" or score = :1',
  'team.city = "Rome"',
  'not (team.city = "Rome")',
  'team is null',
  'team.lead.score > :1',
  'captain.team.name = :2',
  'mates.score > :1',
  'not (mates.score > :1)',
  'passes.sponsor.city = "Oslo"',
  'teamName = "none"',
  'not (teamName = :2) and score > :1',
  'team.size > 1',
  'rank = :1',
  'ID = :1 and score >= 0',
  'teamID = :1',
  'captain.mates.name = :2 and team.city != "Oslo"',
] as const

/** Each ends with the key, so that it orders all entities. */
export const ORDERS = [
  'score desc, ID',
  'name, ID desc',
  'team.name desc, ID',
  'teamName, score, ID desc',
  'ID',
] as const
