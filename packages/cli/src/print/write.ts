import { once } from 'node:events'

/** Writes to stdout at the reader's pace. Returns exit code 0. */
export async function write(text: string | Iterable<string>): Promise<0> {
  const { stdout } = process
  for (const piece of typeof text === 'string' ? [text] : text)
    if (!stdout.write(piece)) await once(stdout, 'drain')
  return 0
}
