import { once } from 'node:events'

/** Writes to stdout as fast as it is read. Answers the exit code of a command that has done its work. */
export async function write(text: string | Iterable<string>): Promise<0> {
  const { stdout } = process
  for (const piece of typeof text === 'string' ? [text] : text) if (!stdout.write(piece)) await once(stdout, 'drain')
  return 0
}
