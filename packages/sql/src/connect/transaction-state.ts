import type { Statement } from './port.ts'

const startsTransaction = /^\s*(?:begin|start\s+transaction)\b/i
const endsTransaction = /^\s*(?:commit|rollback(?!\s+to\b)|end|abort)\b/i

/**
 * Throws unless all statements of one `send` belong to one transaction: else a statement behind one
 * that failed would take effect.
 */
export function checkOneTransaction(isOpen: boolean, statements: readonly Statement[]): void {
  if (statements.length < 2) return
  if (!isOpen && !startsTransaction.test(statements[0]!.text))
    throw new TypeError('Several statements are sent within a transaction only. Send BEGIN first.')
  const end = statements.findIndex(({ text }) => endsTransaction.test(text))
  if (end !== -1 && end !== statements.length - 1)
    throw new TypeError('COMMIT and ROLLBACK can only be the last statement of a send.')
}

/** Whether a transaction is open after a statement that succeeded. */
export function isOpenAfter(isOpen: boolean, { text }: Statement): boolean {
  if (startsTransaction.test(text)) return true
  return endsTransaction.test(text) ? false : isOpen
}
