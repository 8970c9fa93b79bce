import { expect, test } from 'vitest'
import { toMilliseconds } from '../src/ports/duration.ts'
import { createFakeClock } from '../src/ports/fake-clock.ts'
import { createFakeIds } from '../src/ports/fake-ids.ts'

test.each([
  ['250ms', 250],
  ['90s', 90_000],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  [7, 7],
] as const)('%s is %d milliseconds', (duration, milliseconds) => {
  expect(toMilliseconds(duration)).toBe(milliseconds)
})

test.each(['2 h', '', 'h', '-1s', '2weeks', -1, Number.NaN, Number.POSITIVE_INFINITY, null])(
  '%s is not a duration',
  (duration) => {
    expect(() => toMilliseconds(duration as never)).toThrow(TypeError)
  },
)

test('a clock moves only by advance; setting the wall clock does not affect lifetimes', () => {
  const clock = createFakeClock({ start: '2026-01-01T00:00:00Z' })
  const monotonic = clock.monotonic()
  expect(monotonic).toBeGreaterThan(0)
  clock.advance('1h')
  expect(new Date(clock.now()).toISOString()).toBe('2026-01-01T01:00:00.000Z')
  clock.set('2020-05-05T00:00:00Z')
  expect(new Date(clock.now()).toISOString()).toBe('2020-05-05T00:00:00.000Z')
  expect(clock.monotonic()).toBe(monotonic + 3_600_000)
  expect(() => clock.set('yesterday')).toThrow(TypeError)
})

test('rewound clocks and ids repeat, but monotonic time never decreases', () => {
  const clock = createFakeClock()
  const ids = createFakeIds()
  const back = [clock.mark(), ids.mark()]
  const before = [clock.now(), ids.uuid(), ids.token()]
  clock.advance('1d')
  const monotonic = clock.monotonic()
  for (const each of back) each()
  expect([clock.now(), ids.uuid(), ids.token()]).toEqual(before)
  expect(clock.monotonic()).toBe(monotonic)
})
