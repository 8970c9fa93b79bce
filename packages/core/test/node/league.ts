import { attribute, defineDataClass } from '../../src/model/attribute.ts'
import type { JournalOptions } from '../../src/persistence/journal/journal-files.ts'
import type { JournalPorts } from '../../src/persistence/node/journal.ts'
import { createDataStore } from '../../src/store/create-store.ts'
import type { MemoryFiles } from './memory-files.ts'

const Team = defineDataClass('Team', {
  code: attribute.string({ key: true }),
  motto: attribute.string({ unique: true }),
})
const Player = defineDataClass('Player', {
  ID: attribute.long({ key: true, autoSequence: true }),
  name: attribute.string({ indexed: true }),
  notes: attribute.object(),
  born: attribute.date({ dateOnly: true }),
  photo: attribute.image(),
  team: attribute.relatedEntity('Team', { onDelete: 'null' }),
})

export const leagueClasses = { dataClasses: [Team, Player] } as const

export const newLeague = () => createDataStore({ name: 'league', ...leagueClasses })
export type League = ReturnType<typeof newLeague>

let names = 0
export const unique = (): string => `${++names}`

/** Ports over files in memory; `startedAt` tells processes apart. */
export const portsOver = (files: MemoryFiles, startedAt = 1): JournalPorts => ({
  files,
  process: {
    pid: 1,
    startedAt,
    isAlive: () => true,
    birthOf: () => null,
    hasOpen: () => null,
    unique,
    pause: async () => undefined,
  },
  later: () => () => undefined,
  dumpPieceLength: 100,
  journalFileBytes: 1500,
})

/** Nothing happens by itself. */
export const byHand: JournalOptions = {
  flushMilliseconds: null,
  compactAboveBytes: null,
  onError: () => undefined,
}

export const textOf = (store: League): string => new TextDecoder().decode(store.dump())
