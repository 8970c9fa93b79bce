import { randomInt, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as after } from 'node:timers/promises'
import { PIECE_LENGTH } from '../dump/line-writer.ts'
import { type FileSystem, nodeFiles } from './file-system.ts'
import type { LockingProcess } from './folder-lock.ts'

/** What the outside is made of; other than in tests that of Node. */
export interface JournalPorts {
  readonly files: FileSystem
  readonly process: LockingProcess
  /** Calls back once after so many milliseconds, without keeping the program alive. Returns the way to stop it. */
  later(milliseconds: number, callback: () => void): () => void
  /** Characters of a dump that are made at once; between two such pieces everything else goes on. */
  readonly dumpPieceLength: number
  /** A journal file that is longer is followed by another one, so that each can be read as a whole. */
  readonly journalFileBytes: number
}

/** This machine. */
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
        // EPERM: somebody else's, but there.
        return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM'
      }
    },
    birthOf: (pid) => {
      const ticks = statOf(pid)[START_TIME] ?? '0'
      // Some sandboxes count no ticks.
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

/** A process that has ended has a number until its parent has asked for its exit code. */
const HAS_ENDED: ReadonlySet<string> = new Set(['Z', 'X'])
/** Ticks since the machine started; the twentieth word behind the name. */
const START_TIME = 19

/** What Linux tells about a process, behind its name: the state first. Empty elsewhere, and where there is no such process. */
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
