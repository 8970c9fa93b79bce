import { selectionParameters, selectionPath } from './addresses.ts'
import type { Ask } from './api.ts'
import { beginOf, dateOf, timeOf } from './chart-data.ts'
import { listOf, membersOf } from './model.ts'
import type { Place } from './place.ts'
import { groupPath, type Measure, type Members, type Reader } from './reader.ts'

const places = 20
const perPlace = 500

/** A part of a selection. */
export interface Sample {
  readonly entities: readonly Members[]
  /** The size of the selection. */
  readonly of: number
}

/** Reads 500 entities at each of 20 places of the selection, which are evenly spaced. */
export async function readSample(
  ask: Ask,
  place: Place,
  names: readonly string[],
): Promise<Sample> {
  const read = async (skip: number) => {
    const parameters = {
      ...selectionParameters({ ...place, order: '' }),
      $attributes: names.join(','),
      $skip: skip,
      $top: perPlace,
    }
    return membersOf(await ask(selectionPath(place), { parameters }))
  }
  const first = await read(0)
  const of = Number(first.__COUNT)
  const entities = [...listOf(first.__ENTITIES)]
  const step = Math.max(perPlace, Math.floor(of / places))
  for (let at = 1; at < places && at * step < of; at++)
    entities.push(...listOf((await read(at * step)).__ENTITIES))
  return { entities: entities.map(membersOf), of }
}

/** Summarizes a sample. Counts and sums are those of the sample. */
export function readerOfSample({ entities }: Sample): Reader {
  return {
    aggregates: async (names) =>
      Object.fromEntries(names.map((name) => [name, aggregatesOf(entities, name)])),
    async groups(by, span, measure, isByMeasure, top) {
      const path = groupPath(by, span)
      const groupOf = (entity: Members) => {
        const time = span === null ? 0 : timeOf(entity[by.name])
        if (span === null || Number.isNaN(time)) return entity[by.name] ?? null
        return `!!${dateOf(beginOf(time, span))}!!`
      }
      const members = new Map<unknown, Members[]>()
      for (const entity of entities) {
        const value = groupOf(entity)
        const known = members.get(value)
        if (known === undefined) members.set(value, [entity])
        else known.push(entity)
      }
      const groups = [...members].map(([value, some]) => ({
        [measure.y]: aggregatesOf(some, measure.y),
        [path]: value,
        count: some.length,
      }))
      groups.sort((one, other) => compared(one[path], other[path]))
      if (isByMeasure)
        groups.sort((one, other) => resultOf(other, measure) - resultOf(one, measure))
      return { groups: groups.slice(0, top), count: groups.length }
    },
    async ranges({ name }, ticks, measure) {
      return ticks.slice(0, -1).map((low, index) => {
        const [high = low, isLast] = [ticks[index + 1], index === ticks.length - 2]
        const some = entities.filter(({ [name]: value }) => {
          return (
            typeof value === 'number' && value >= low && (isLast ? value <= high : value < high)
          )
        })
        const group = { [measure.y]: aggregatesOf(some, measure.y), count: some.length }
        const value = resultOf(group, measure)
        return { count: some.length, value: value === Number.NEGATIVE_INFINITY ? null : value }
      })
    },
  }
}

/** The result of a group; -Infinity for none, which comes last. */
function resultOf(group: Members, { y, how }: Measure): number {
  const result = how === 'count' ? group.count : membersOf(group[y])[how]
  return typeof result === 'number' ? result : Number.NEGATIVE_INFINITY
}

function aggregatesOf(entities: readonly Members[], name: string): Members {
  const known = entities.map((entity) => entity[name]).filter((value) => value != null)
  known.sort(compared)
  const numbers = known.filter((value) => typeof value === 'number')
  const sum = numbers.reduce((one, other) => one + other, 0)
  const totals = numbers.length === 0 ? {} : { sum, average: sum / numbers.length }
  return { count: known.length, ...totals, min: known[0], max: known.at(-1) }
}

/** Null first, numbers by size, and dates and texts by their characters. */
function compared(one: unknown, other: unknown): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  const [first, second] = [String(one), String(other)]
  return first < second ? -1 : first > second ? 1 : 0
}
