import { afterEach, expect, test, vi } from 'vitest'
import { defaultIds } from '../../src/ports.ts'

afterEach(() => vi.unstubAllGlobals())

const versionFour = /^[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/

test('the host creates the UUIDs', () => {
  vi.stubGlobal('crypto', { randomUUID: () => 'made by the host' })
  expect(defaultIds.uuid()).toBe('made by the host')
})

test('UUIDs are random even if the host creates none, as browsers on insecure origins', () => {
  const host = crypto
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => host.getRandomValues(bytes) })
  const made = Array.from({ length: 200 }, () => defaultIds.uuid().toUpperCase())
  for (const uuid of made) expect(uuid).toMatch(versionFour)
  expect(new Set(made).size).toBe(200)
  // All four variants occur, and the other digits vary.
  expect(new Set(made.map((uuid) => uuid[16])).size).toBe(4)
})
