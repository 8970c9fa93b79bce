import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { PIECE_LENGTH } from '../dump/line-writer.ts'
import type { JournalPace } from '../journal/store-journal.ts'
import { type FileSystem, nodeFiles } from './file-system.ts'
import type { LockingProcess } from './folder-lock.ts'

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
        return (
          typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM'
        )
      }
    },
    birthOf: (pid) => {
      const ticks = statOf(pid)[START_TIME] ?? '0'
      // Some sandboxes report no ticks.
      return ticks === '0' ? null : `${textOf('/proc/sys/kernel/random/boot_id').trim()}.${ticks}`
    },
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

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
