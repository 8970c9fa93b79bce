import type { SqlValue } from './port.ts'

/** The text of a value as PostgreSQL reads it; null stays null. */
export function wireText(value: SqlValue): string | null {
  if (value === null || typeof value === 'string') return value
  if (value instanceof Uint8Array) return `\\x${hexOf(value)}`
  if (typeof value !== 'object') return `${value}`
  // A join of the engine takes a fraction of a text for each element.
  if (value.every(isBare)) return `{${value.join()}}`
  return value.every(isPlainText)
    ? `{"${value.join('","')}"}`
    : `{${value.map(elementText).join()}}`
}

const isBare = (value: SqlValue): boolean => typeof value === 'number' || typeof value === 'boolean'
const isPlainText = (value: SqlValue): boolean =>
  typeof value === 'string' && !value.includes('"') && !value.includes('\\')

function elementText(value: SqlValue): string {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return wireText(value) ?? 'NULL'
  return `"${wireText(value)!.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

const hexOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex')

const text = (cell: string): string => cell
const wholeNumber = (cell: string): number | bigint => {
  const number = Number(cell)
  return Number.isSafeInteger(number) ? number : BigInt(cell)
}
const numbers = (cell: string): readonly (number | bigint | null)[] =>
  cell === '{}'
    ? []
    : cell
        .slice(1, -1)
        .split(',')
        .map((element) => (element === 'NULL' ? null : wholeNumber(element)))

/** By the number of the type. Cells of all other types stay texts. */
const DECODERS: ReadonlyMap<number, (cell: string) => unknown> = new Map([
  [16, (cell) => cell === 't'],
  [17, (cell) => new Uint8Array(Buffer.from(cell.slice(2), 'hex'))],
  [20, wholeNumber],
  [21, Number],
  [23, Number],
  [26, Number],
  [700, Number],
  [701, Number],
  [1005, numbers],
  [1007, numbers],
  [1016, numbers],
] as readonly (readonly [number, (cell: string) => unknown])[])

/** Decodes the text of a cell, which is not null, of a type. */
export const decoderOf = (type: number): ((cell: string) => unknown) => DECODERS.get(type) ?? text
