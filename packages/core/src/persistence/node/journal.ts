import { randomInt, randomUUID } from 'node:crypto'
import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import type { AnyDataStore } from '../../model/store-types.ts'
import { persistenceOf } from '../../store/capability/persistence.ts'
import { PIECE_LENGTH } from '../../store/dump/line-writer.ts'
import { refused } from '../../value/check-options.ts'
import { checkJournalOptions, codeOf, type JournalOptions } from '../journal/journal-files.ts'
import { JournalFolder } from '../journal/journal-folder.ts'
import { type Journal, type JournalPace, StoreJournal } from '../journal/store-journal.ts'
import { type FileSystem, nodeFiles } from './file-system.ts'
import { type FolderLock, type LockingProcess, lockFolder } from './folder-lock.ts'

/** What a journal needs from the machine. Only tests use other ports than `nodePorts`. */
export interface JournalPorts extends JournalPace {
  readonly files: FileSystem
  readonly process: LockingProcess
}

/** The files, processes and timers of this machine. */
export const nodePorts: JournalPorts = {
  files: nodeFiles,
  process: {
    pid: process.pid,
    startedAt: performance.timeOrigin,
    isAlive: (pid) => {
      try {
        process.kill(pid, 0)
        return !HAS_ENDED.has(statOf(pid)[0] ?? '')
      } catch (error) {
        // EPERM: the process exists and belongs to another user.
        return codeOf(error) === 'EPERM'
      }
    },
    birthOf: (pid) => {
      const ticks = statOf(pid)[START_TIME] ?? '0'
      // Some sandboxes report no ticks.
      return ticks === '0' ? null : `${textOf('/proc/sys/kernel/random/boot_id').trim()}.${ticks}`
    },
    hasOpen,
    unique: () => randomUUID(),
    pause: () => after(randomInt(5, 25)),
  },
  later: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
  dumpPieceLength: PIECE_LENGTH,
  journalFileBytes: 1 << 30,
}

/** A process that has ended keeps its number until its parent reads the exit code. */
const HAS_ENDED: ReadonlySet<string> = new Set(['Z', 'X'])
/** The index of the start time in ticks since boot, among the words after the name. */
const START_TIME = 19

/**
 * The words that Linux has about a process after its name, the state first. Empty on other systems
 * and without such a process.
 */
function statOf(pid: number): readonly string[] {
  const text = textOf(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/**
 * Counts the descriptors of a file by what Linux lists for all threads of this process. The one
 * that this call opens must be among them, or the list is not to be trusted.
 */
function hasOpen(path: string): boolean | null {
  try {
    const own = openSync(path, 'r')
    try {
      const { dev, ino } = fstatSync(own)
      const isSame = (descriptor: string): boolean => {
        try {
          const found = fstatSync(Number(descriptor))
          return found.dev === dev && found.ino === ino
        } catch {
          return false
        }
      }
      const count = readdirSync('/proc/self/fd').filter(isSame).length
      return count === 0 ? null : count > 1
    } finally {
      closeSync(own)
    }
  } catch {
    return null
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/**
 * Keeps a store in a folder, and creates the folder if necessary. The data of the folder replaces
 * the data of the store; if the folder is empty, the store is written to it. From then on every
 * commit is added. Rejects with `dumpInvalid` for files that are damaged, missing or of other
 * dataclasses, with `folderInUse` while another journal has the folder, with `argumentInvalid` for
 * a store that has a journal, and with errors of the system.
 *
 * @example
 * ```ts
 * const journal = await openJournal(store, file('hr'))
 * store.Employee.update(1, { salary: 71_000 })
 * await journal.close()
 * ```
 */
export async function openJournal(
  store: AnyDataStore,
  folder: string,
  options: JournalOptions = {},
  ports: JournalPorts = nodePorts,
): Promise<Journal> {
  const settings = checkJournalOptions(options)
  const { files, process } = ports
  const persistence = persistenceOf(store)
  if (persistence.hasJournal)
    throw refused('The store', 'one without a journal', 'one that has a journal already')
  persistence.hasJournal = true
  let lock: FolderLock
  try {
    await files.mkdir(folder)
    lock = await lockFolder(files, folder, process)
  } catch (error) {
    persistence.hasJournal = false
    throw error
  }
  return StoreJournal.open({
    persistence,
    folder: new JournalFolder(folder, files),
    settings,
    pace: ports,
    unlock: () => lock.unlock(),
    checkLock: () => lock.check(),
  })
}
