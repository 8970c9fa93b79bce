import { useEffect, useRef, useState } from 'preact/hooks'
import type { Parameters } from './addresses.ts'
import { jsonOf, Refusal } from './api.ts'
import { membersOf } from './model.ts'
import type { Scene } from './scene.ts'
import { store, stored } from './storage.ts'

/** Milliseconds between two checks for changes that the event stream does not report. */
const checkEvery = 5000
/** The shortest time in milliseconds between two reloads. */
const shortestGap = 250
/** Reloads take at most this part of the time, so that slow selections do not burden the server. */
const busyPart = 0.1
const choiceKey = 'entia follow'

export interface Following {
  readonly isOn: boolean
  /** `events`: reports each commit; `checks`: every five seconds. */
  readonly by: 'events' | 'checks'
  readonly toggle: () => void
}

interface Followed {
  readonly path: string
  /** Filter, order and page. */
  readonly parameters: Parameters
  /** The global stamp of the shown page; null until it is loaded. */
  readonly stamp: number | null
  /** The last response or refusal; it is another object after each reload. */
  readonly answer: unknown
  /** Whether the server could not answer; it is asked until it can. */
  readonly isBroken: boolean
  readonly isShown: boolean
  readonly reload: () => void
}

interface Pace {
  /** When the last reload was requested, and how long it took, in milliseconds. */
  asked: number
  took: number
  isRunning: boolean
  /** The pending reload; 0 if there is none. */
  timer: number
  /** The global stamp that the server has reported since the last answer; 0 if there is none. */
  newest: number
  schedule: () => void
}

const idle = { asked: 0, isRunning: false, timer: 0, newest: 0, schedule: () => {} }

/**
 * Calls `reload` when the shown page may have changed. Follows the page with `$live` where the
 * server offers it. As a stream of a page does not report the count of the selection, it also
 * compares global stamps every few seconds, with a request that reads no entity. Stops while the
 * browser tab is hidden: a browser opens only six connections per server.
 */
export function useFollow(scene: Scene, followed: Followed): Following {
  const { model, ask, follow, place, counted, now } = scene
  const [choice, setChoice] = useState(() => stored(choiceKey))
  const [by, setBy] = useState<Following['by']>('checks')
  const isVisible = useIsVisible()
  const isOn = choice === null ? model.offersLive : choice === 'on'
  const latest = useRef(followed)
  latest.current = followed
  const dataClass = place.dataClass ?? ''
  const key = JSON.stringify([followed.path, followed.parameters])

  const pace = useRef<Pace>({ ...idle, took: 0 })
  useEffect(() => {
    const current = pace.current
    if (current.isRunning) current.took = now() - current.asked
    current.isRunning = false
    if (current.newest <= (followed.stamp ?? 0)) current.newest = 0
    current.schedule()
  }, [followed.answer])
  useEffect(() => {
    if (!isOn || !isVisible || !followed.isShown) return
    const stop = new AbortController()
    let isOpen = false
    const current = pace.current
    // One reload at a time: the next one waits for its answer, and for the gap.
    current.schedule = () => {
      const { stamp, isBroken } = latest.current
      if (current.timer !== 0 || current.isRunning || current.newest === 0) return
      // After a restart the server may report an older stamp.
      if (!isBroken && (stamp === null || current.newest === stamp)) return
      const gap = Math.max(shortestGap, current.took / busyPart)
      const run = () => {
        current.timer = 0
        current.isRunning = true
        current.asked = now()
        latest.current.reload()
      }
      current.timer = window.setTimeout(run, Math.max(0, current.asked + gap - now()))
    }
    const compare = (stamp: unknown) => {
      if (typeof stamp === 'number') current.newest = Math.max(1, stamp)
      current.schedule()
    }
    const openStream = async () => {
      if (isOpen || place.set !== null || !model.offersLive) return
      isOpen = true
      try {
        await follow(followed.path, followed.parameters, stop.signal, ({ data }) => {
          setBy('events')
          compare(membersOf(jsonOf(data)).__GlobalStamp)
        })
      } catch {
        // A refusal, for example of a wrong filter, is that of the page itself.
      } finally {
        isOpen = false
        if (!stop.signal.aborted) setBy('checks')
      }
    }
    const check = async () => {
      try {
        const parameters = { $top: 0, $attributes: model.classes.get(dataClass)?.key ?? '' }
        const answer = membersOf(
          await ask(encodeURIComponent(dataClass), { parameters, signal: stop.signal }),
        )
        counted(dataClass, Number(answer.__COUNT))
        compare(answer.__GlobalStamp)
        openStream()
      } catch (error) {
        // The reload fails too, and reports that the server does not answer.
        const isLost = error instanceof Refusal && error.status === 0
        if (isLost && !latest.current.isBroken) latest.current.reload()
      }
    }
    openStream()
    const timer = setInterval(check, checkEvery)
    return () => {
      stop.abort()
      clearInterval(timer)
      clearTimeout(current.timer)
      Object.assign(current, idle)
    }
  }, [isOn, isVisible, followed.isShown, key, scene.version])

  const toggle = () => {
    const next = isOn ? 'off' : 'on'
    setChoice(next)
    store(choiceKey, next)
  }
  return { isOn, by, toggle }
}

function useIsVisible(): boolean {
  const [isVisible, setIsVisible] = useState(() => document.visibilityState === 'visible')
  useEffect(() => {
    const onChange = () => setIsVisible(document.visibilityState === 'visible')
    document.addEventListener('visibilitychange', onChange)
    return () => document.removeEventListener('visibilitychange', onChange)
  }, [])
  return isVisible
}
