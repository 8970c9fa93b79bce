import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { isEntiaError } from '@entia/core'
import type { Parser } from './parsers.ts'

/** `read`, or the code of a refusal; any other result is a finding. */
export type Outcome = { readonly kind: 'read' | 'refused' | 'finding'; readonly what: string }

/** Reads one input and returns the outcome. */
export async function tryInput(parser: Parser, text: string): Promise<Outcome> {
  try {
    await parser.read(text)
    return { kind: 'read', what: 'read' }
  } catch (error) {
    if (!isEntiaError(error)) return { kind: 'finding', what: describe(error) }
    if (parser.refusals.has(error.code)) return { kind: 'refused', what: error.code }
    return { kind: 'finding', what: `refused with ${error.code}: ${error.message}` }
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error)

/** A command that repeats an input. */
export const replayLine = (name: string, input: string): string =>
  `npm run test:long -- fuzz --replay ${name}:${deflateRawSync(Buffer.from(input, 'utf16le')).toString('base64url')}`

export const inputOf = (encoded: string): string =>
  inflateRawSync(Buffer.from(encoded, 'base64url')).toString('utf16le')
