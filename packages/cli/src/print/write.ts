import { once } from 'node:events'

/**
 * Writes to stdout at the reader's pace and waits for the end. Returns exit code 0. Rejects if the
 * reader has gone, or if nothing more can be written.
 */
export async function write(text: string | Iterable<string>): Promise<0> {
  const { stdout } = process
  for (const piece of typeof text === 'string' ? [text] : text) {
    if (stdout.errored !== null) throw stdout.errored
    if (!stdout.write(piece)) await once(stdout, 'drain')
  }
  await new Promise<void>((resolve, reject) => {
    stdout.write('', (error) => (error == null ? resolve() : reject(error)))
  })
  return 0
}
