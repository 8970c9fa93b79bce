import { isUtf8 } from 'node:buffer'
import { createReadStream, statSync } from 'node:fs'
import { CliError, fileError } from '../cli-error.ts'

/** Bytes that are read at once. */
const CHUNK = 64 * 1024

/** Receives the share of a file that has been read, from 0 to 1. */
export type OnRead = (share: number) => void

/** The text of a file in blocks of whole lines. Throws as `blocksOfBytes` does. */
export async function* blocksOfLines(path: string, onRead?: OnRead): AsyncIterable<string> {
  for await (const block of blocksOfBytes(path, onRead)) yield block.toString('utf8')
}

/**
 * The bytes of a file in blocks of whole lines. Throws `CliError` if the file is unreadable or not
 * UTF-8: another encoding would silently become wrong letters.
 */
export async function* blocksOfBytes(path: string, onRead?: OnRead): AsyncIterable<Buffer> {
  let lines = 0
  let begun: Buffer[] = []
  const source = createReadStream(path, { highWaterMark: CHUNK })
  const size = onRead === undefined ? 0 : statSync(path, { throwIfNoEntry: false })?.size
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(NEWLINE) + 1
      begun.push(end === 0 ? chunk : chunk.subarray(0, end))
      if (end === 0) continue
      const block = Buffer.concat(begun)
      begun = [chunk.subarray(end)]
      checkUtf8(block, path, lines)
      if (size) onRead?.(Math.min(1, source.bytesRead / size))
      yield block
      lines += newlinesIn(block)
    }
  } catch (error) {
    throw error instanceof CliError ? error : fileError(path, 'read', error)
  } finally {
    source.destroy()
  }
  const last = Buffer.concat(begun)
  if (last.length === 0) return
  checkUtf8(last, path, lines)
  yield last
}

const NEWLINE = 0x0a

/** The whole text of a file. Throws as `blocksOfLines` does. */
export async function readText(path: string): Promise<string> {
  const parts: string[] = []
  for await (const block of blocksOfLines(path)) parts.push(block)
  return parts.join('')
}

/** `lines` counts the lines before the block. */
function checkUtf8(block: Buffer, path: string, lines: number): void {
  if (isUtf8(block)) return
  const encoding =
    lines === 0 && /^(?:fffe|feff)/.test(block.toString('hex', 0, 2)) ? 'utf-16' : 'windows-1252'
  for (let start = 0, line = lines + 1; ; line++) {
    const end = block.indexOf(NEWLINE, start)
    if (end !== -1 && isUtf8(block.subarray(start, end))) start = end + 1
    else
      throw new CliError(
        `${path}, line ${line}, is not UTF-8. Save the file as UTF-8, or convert it: iconv -f ${encoding} -t utf-8 old > new`,
      )
  }
}

function newlinesIn(block: Buffer): number {
  let count = 0
  for (let at = block.indexOf(NEWLINE); at !== -1; at = block.indexOf(NEWLINE, at + 1)) count++
  return count
}
