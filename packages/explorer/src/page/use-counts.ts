import type { RefObject } from 'preact'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { type Ask, Refusal } from './api.ts'
import { type Model, membersOf } from './model.ts'

/** Counts that are requested at the same time. */
const maxRequests = 4

export interface Counts {
  /** The number of entities by dataclass, as far as it was requested; null if it is refused. */
  readonly counts: ReadonlyMap<string, number | null>
  /** The list; each item names its dataclass in `data-class`. */
  readonly list: RefObject<HTMLUListElement | null>
  readonly counted: (dataClass: string, count: number) => void
}

/**
 * Counts the entities of the dataclasses that are scrolled into view, again after each change of
 * `version`. One request per dataclass, which reads no entity.
 */
export function useCounts(ask: Ask, model: Model | null, version: number, shown: string): Counts {
  const [counts, setCounts] = useState<Counts['counts']>(new Map())
  const list = useRef<HTMLUListElement>(null)
  const asked = useRef({ version, names: new Set<string>() })
  const counted = useCallback((name: string, count: number | null) => {
    setCounts((before) => (before.get(name) === count ? before : new Map(before).set(name, count)))
  }, [])
  useEffect(() => {
    if (model === null || list.current === null) return
    if (asked.current.version !== version) asked.current = { version, names: new Set() }
    const { names } = asked.current
    const stop = new AbortController()
    const waiting: string[] = []
    let running = 0
    const next = async (): Promise<void> => {
      const name = running < maxRequests ? waiting.shift() : undefined
      if (name === undefined || stop.signal.aborted) return
      running++
      names.add(name)
      const parameters = { $top: 0, $attributes: model.classes.get(name)?.key ?? '' }
      try {
        const path = encodeURIComponent(name)
        const answer = await ask(path, { parameters, signal: stop.signal })
        counted(name, Number(membersOf(answer).__COUNT))
      } catch (error) {
        if (error instanceof Refusal) counted(name, null)
        else names.delete(name)
      }
      running--
      next()
    }
    const observer = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) {
        const name = target.getAttribute('data-class') ?? ''
        if (isIntersecting && !names.has(name) && !waiting.includes(name)) waiting.push(name)
        else if (!isIntersecting && waiting.includes(name)) waiting.splice(waiting.indexOf(name), 1)
      }
      for (let at = 0; at < maxRequests; at++) next()
    })
    for (const item of list.current.querySelectorAll('[data-class]')) observer.observe(item)
    return () => {
      stop.abort()
      observer.disconnect()
    }
  }, [model, version, shown])
  return { counts, list, counted }
}
