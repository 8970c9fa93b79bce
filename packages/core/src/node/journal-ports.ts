import { type FileSystem, nodeFiles } from './file-system.ts'
import type { LockingProcess } from './folder-lock.ts'

/** What the outside is made of; other than in tests that of Node. */
export interface JournalPorts {
  readonly files: FileSystem
  readonly process: LockingProcess
  /** Calls back once after so many milliseconds, without keeping the program alive. Returns the way to stop it. */
  later(milliseconds: number, callback: () => void): () => void
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
        return true
      } catch (error) {
        // EPERM: somebody else's, but there.
        return typeof error === 'object' && error !== null && 'code' in error && error.code === 'EPERM'
      }
    },
  },
  later: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
