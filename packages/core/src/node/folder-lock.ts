import { EntiaError } from '../errors.ts'
import { codeOf, type FileSystem, removeFile } from './file-system.ts'

/** The process that wants a folder, and how it knows of others. */
export interface LockingProcess {
  readonly pid: number
  /** Epoch milliseconds. */
  readonly startedAt: number
  isAlive(pid: number): boolean
}

/** Takes a folder for this process. Rejects with `folderInUse` while another one has it; one that has died has it no more. */
export async function lockFolder(
  files: FileSystem,
  folder: string,
  process: LockingProcess,
): Promise<() => Promise<void>> {
  const path = `${folder}/lock`
  for (let attempt = 0; ; attempt++) {
    try {
      await files.createFile(path, `${process.pid} ${process.startedAt}\n`)
      return () => removeFile(files, path)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    const [pid = 0, startedAt] = (await readText(files, path)).split(' ').map(Number)
    // After a restart a container gives the same number to another process.
    const isOwn = pid === process.pid && startedAt === process.startedAt
    const isHeld = isOwn || (pid !== process.pid && Number.isSafeInteger(pid) && pid > 0 && process.isAlive(pid))
    if (isHeld || attempt === 2)
      throw new EntiaError('folderInUse', { folder, process: String(pid), file: path, isOwn })
    await removeFile(files, path)
  }
}

async function readText(files: FileSystem, path: string): Promise<string> {
  try {
    return new TextDecoder().decode(await files.readFile(path))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ''
    throw error
  }
}
