import { checksum } from '../src/store/dump/line-writer.ts'

/** The lines of a dump, without that of its checksum. */
export const linesOfDump = (bytes: Uint8Array): string[] =>
  new TextDecoder().decode(bytes).split('\n').slice(0, -2)

/** Such lines, changed or not, as a dump whose checksum is right. */
export function sealedDump(lines: readonly string[]): Uint8Array {
  const content = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''))
  return new Uint8Array([
    ...content,
    ...new TextEncoder().encode(`{"checksum":"${checksum(content)}"}\n`),
  ])
}
