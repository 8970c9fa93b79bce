import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256Hex } from '../../src/render/etag.ts'

test('the digest is the platform’s, for texts around every block boundary', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(sha256Hex(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'))
    }),
  )
  for (let length = 50; length < 130; length++) {
    const text = 'x'.repeat(length)
    expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'))
  }
})
