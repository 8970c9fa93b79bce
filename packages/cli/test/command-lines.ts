import { COMMANDS } from '../src/main.ts'

/** A way to call a command with a source. */
export interface Reading {
  readonly command: string
  readonly line: (source: string) => readonly string[]
  /** The endings of the sources with which it succeeds. */
  readonly takes: readonly string[]
}

export const ENDINGS = ['json', 'ndjson', 'csv', 'mjs', 'entia']
const DATA = ['json', 'ndjson', 'csv']
const MODULE = ['mjs']
const DATABASE = ['--database', 'postgres://127.0.0.1:1/none']

const reading = (takes: readonly string[], ...line: readonly string[]): Reading => ({
  command: line[0]!,
  line: (source) => line.map((part) => part.replace('SOURCE', () => source)),
  takes,
})

const KNOWN: readonly Reading[] = [
  reading(ENDINGS, 'serve', 'SOURCE', '--port', '0'),
  reading(ENDINGS, 'serve', 'SOURCE', '--port', '0', '--plain'),
  reading(ENDINGS, 'query', 'SOURCE', 'People'),
  reading(ENDINGS, 'explain', 'SOURCE', 'People', '-f', 'ID = 1'),
  reading(ENDINGS, 'export', 'SOURCE', 'People'),
  reading(MODULE, 'import', 'SOURCE', 'People=rows.csv', '--dump', 'new.entia'),
  reading(DATA, 'import', 'model.mjs', 'People=SOURCE', '--dump', 'new.entia'),
  // Nothing listens at the address of the database.
  reading([], 'migrate', 'SOURCE', ...DATABASE),
  reading([], 'copy', 'SOURCE', ...DATABASE),
  reading(DATA, 'infer', 'SOURCE'),
  reading(MODULE, 'check', 'SOURCE'),
]

/** They read no source. */
const WITHOUT_SOURCE = ['init', 'completion']

/**
 * Every command that reads a source. One without a line above takes every source and no options.
 */
export const READINGS: readonly Reading[] = [...COMMANDS.keys()].flatMap((command) => {
  if (WITHOUT_SOURCE.includes(command)) return []
  const known = KNOWN.filter((one) => one.command === command)
  return known.length > 0 ? known : [reading(ENDINGS, command, 'SOURCE')]
})

/** A way to call a command with a place that it writes to. */
export interface Writing {
  readonly line: readonly string[]
  /** The name of the place. */
  readonly place: string
  /** What may be at the place. */
  readonly takes: readonly string[]
}

/** The test is skipped for root, who reads and writes every file. */
export const UNREADABLE = 'unreadable for this user, who must not be root'

const FILE = ['missing', 'empty', 'binary', 'a file with a byte order mark']
/** A new file takes the place of what was there. */
const REPLACED = [...FILE, 'a circle of links', UNREADABLE]
const FOLDER = ['missing', 'a folder']

export const WRITINGS: readonly Writing[] = [
  { line: ['openapi', 'model.mjs', '--force', '-o'], place: 'document.json', takes: FILE },
  { line: ['infer', 'rows.csv', '--force', '-o'], place: 'store.mjs', takes: FILE },
  { line: ['export', 'model.mjs', 'People', '--force', '-o'], place: 'out.csv', takes: FILE },
  { line: ['export', 'model.mjs', '--force', '-o'], place: 'out', takes: FOLDER },
  {
    line: ['import', 'model.mjs', 'People=rows.csv', '--dump'],
    place: 'new.entia',
    takes: REPLACED,
  },
  { line: ['import', 'model.mjs', 'People=rows.csv', '--journal'], place: 'out', takes: FOLDER },
  { line: ['serve', 'model.mjs', '--port', '0', '--journal'], place: 'out', takes: FOLDER },
  // It reads a journal that is there.
  { line: ['query', 'model.mjs', 'People', '--journal'], place: 'out', takes: [] },
]
