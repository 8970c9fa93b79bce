import { useCallback, useEffect, useState } from 'preact/hooks'
import { selectionParameters, selectionPath } from './addresses.ts'
import { type Ask, Refusal } from './api.ts'
import { membersOf, textOf } from './model.ts'
import { type Place, placeOf } from './place.ts'
import {
  type KeptSet,
  labelOf,
  lifetime,
  type SetOperator,
  setIdIn,
  setsFrom,
} from './shelf-state.ts'
import { store, stored } from './storage.ts'

export interface Sets {
  readonly sets: readonly KeptSet[]
  /** Takes the address of every successful response: using a set restarts its lifetime. */
  readonly touch: (path: string) => void
  readonly keep: (ask: Ask, place: Place) => Promise<string>
  readonly release: (ask: Ask, set: KeptSet) => Promise<string>
  readonly combine: (
    ask: Ask,
    one: KeptSet,
    operator: SetOperator,
    other: KeptSet,
  ) => Promise<string>
  readonly markGone: (id: string) => void
}

/** The shelf, stored in the browser by store name. Actions resolve to a notice. */
export function useSets(storeName: string, now: () => number): Sets {
  const key = `entia sets ${storeName}`
  const [sets, setSets] = useState<readonly KeptSet[]>([])
  useEffect(() => {
    if (storeName !== '')
      setSets(setsFrom(stored(key)).filter((set) => now() - set.usedAt < 2 * lifetime * 1000))
  }, [storeName])
  const update = useCallback(
    (change: (sets: readonly KeptSet[]) => readonly KeptSet[]) =>
      setSets((before) => {
        const after = change(before)
        if (after !== before) store(key, JSON.stringify(after))
        return after
      }),
    [key],
  )
  const markGone = (id: string) =>
    update((all) => all.map((set) => (set.id === id ? { ...set, isGone: true } : set)))
  const touch = (path: string) => {
    const id = setIdIn(path)
    if (id !== null)
      update((all) =>
        all.some((set) => set.id === id)
          ? all.map((set) => (set.id === id ? { ...set, usedAt: now() } : set))
          : all,
      )
  }
  const add = async (
    ask: Ask,
    dataClass: string,
    label: string,
    path: string,
    parameters: Record<string, string | number>,
  ) => {
    const answer = membersOf(
      await ask(path, {
        parameters: { ...parameters, $method: 'entityset', $timeout: lifetime, $top: 0 },
      }),
    )
    const id = textOf(answer.__ENTITYSET).split('/').at(-1) ?? ''
    const set = {
      id,
      dataClass,
      label,
      count: Number(answer.__COUNT),
      usedAt: now(),
      isGone: false,
    }
    update((all) => [...all.filter((one) => one.id !== id), set])
    return `Kept ${set.count.toLocaleString('en')} of ${dataClass} as "${label}".`
  }
  return {
    sets,
    touch,
    markGone,
    keep: (ask, place) => {
      const parameters = selectionParameters(place) as Record<string, string>
      return add(ask, place.dataClass ?? '', nameOf(place, sets), selectionPath(place), parameters)
    },
    async release(ask, set) {
      if (!set.isGone)
        await ask(selectionPath(placeOf(set.dataClass, { set: set.id })), {
          parameters: { $method: 'release' },
        }).catch(ignoreGone)
      update((all) => all.filter(({ id }) => id !== set.id))
      return `Released "${set.label}".`
    },
    async combine(ask, one, operator, other) {
      const path = selectionPath(placeOf(one.dataClass, { set: one.id }))
      const parameters = { $logicOperator: operator, $otherCollection: other.id }
      try {
        if (operator !== 'INTERSECT')
          return await add(
            ask,
            one.dataClass,
            labelOf(one.label, operator, other.label),
            path,
            parameters,
          )
        const answer = await ask(path, { parameters })
        return `"${one.label}" and "${other.label}" ${answer === true ? 'share entities.' : 'share none.'}`
      } catch (error) {
        // The message names the set that expired.
        if (error instanceof Refusal && error.status === 404)
          for (const { id } of [one, other])
            if (error.messages.some((message) => message.includes(id))) markGone(id)
        throw error
      } finally {
        touch(`/$entityset/${other.id}`)
      }
    },
  }
}

function nameOf({ filter, via, dataClass }: Place, sets: readonly KeptSet[]): string {
  const step = via.at(-1)
  const name =
    filter !== ''
      ? filter
      : step !== undefined
        ? `${step.key}.${step.relation}`
        : `all ${dataClass}`
  const short = name.length > 42 ? `${name.slice(0, 41)}…` : name
  const same = sets.filter(({ label }) => label === short || label.startsWith(`${short} #`)).length
  return same === 0 ? short : `${short} #${same + 1}`
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof Refusal) || error.status !== 404) throw error
}
