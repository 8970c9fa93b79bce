import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { createAsk, Refusal } from './api.ts'
import { DiagramView } from './diagram.tsx'
import { Login } from './login.tsx'
import { type Model, membersOf, readModel, textOf } from './model.ts'
import { diagramPlace, hashOf, type Place, placeFrom, placeOf } from './place.ts'
import { Problem } from './problem.tsx'
import type { Scene } from './scene.ts'
import { SelectionView } from './selection-view.tsx'
import { Shelf } from './shelf.tsx'
import { setIdIn } from './shelf-state.ts'
import { ThemeSwitch } from './theme.tsx'
import { useSets } from './use-sets.ts'
import type { Shelved } from './use-unsaved.ts'

/** A link that the server shows on the start page. */
export interface NamedAddress {
  readonly title: string
  readonly href: string
}

interface AppProps {
  readonly base: string
  readonly name: string
  readonly addresses: readonly NamedAddress[]
  /** Whether the interface has users to log in as. */
  readonly hasUsers: boolean
  readonly now: () => number
}

/** The whole page. */
export function App({ base, name, addresses, hasUsers, now }: AppProps) {
  const [model, setModel] = useState<Model | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [place, setPlace] = useState<Place>(() => placeFrom(location.hash))
  const [user, setUser] = useState<string | null>(null)
  const [login, setLogin] = useState<'no' | 'requested' | 'needed'>('no')
  const [notice, setNotice] = useState('')
  const [version, setVersion] = useState(0)
  const unsaved = useRef<Shelved>(new Map())
  const sets = useSets(model?.name ?? '', now)
  // `ask` lives as long as the page, but must report to the latest shelf.
  const latest = useRef(sets)
  latest.current = sets
  const ask = useMemo(() => {
    return createAsk(base, (path, status) => {
      const set = setIdIn(path)
      if (status < 400) latest.current.touch(path)
      else if (status === 404 && set !== null) latest.current.markGone(set)
      else if (status === 401 && hasUsers && path !== '$directory/login') setLogin('needed')
    })
  }, [base, hasUsers])

  const begin = async () => {
    try {
      const current = membersOf(membersOf(await ask('$directory/currentUser')).result)
      setUser(textOf(current.fullName) || textOf(current.userName) || null)
      setModel(readModel(await ask('$catalog/$all')))
      setRefusal(null)
      setVersion((before) => before + 1)
    } catch (error) {
      setRefusal(error instanceof Refusal ? error : new Refusal(0, null))
    }
  }
  useEffect(() => {
    begin()
    const onHash = () => setPlace(placeFrom(location.hash))
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isWriting = /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
      if (event.key === '/' && !isWriting && !event.ctrlKey && !event.metaKey) {
        const field = document.getElementById('filter')
        if (field !== null) event.preventDefault()
        field?.focus()
      } else if (
        event.key === 'Escape' &&
        place.open !== null &&
        document.querySelector('dialog[open]') === null
      ) {
        location.hash = hashOf({ ...place, open: null })
      }
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [place])
  useEffect(() => {
    document.title = place.dataClass === null ? name : `${place.dataClass} – ${name}`
  }, [place.dataClass, name])

  const act = async (action: Promise<string>) => {
    try {
      setNotice(await action)
    } catch (error) {
      setNotice(error instanceof Refusal ? error.message : String(error))
    }
  }
  const logOut = async () => {
    await act(ask('$directory/logout', { method: 'POST' }).then(() => 'Logged out.'))
    begin()
  }
  const scene: Scene | null = model && {
    base,
    model,
    ask,
    place,
    go: (next) => {
      location.hash = hashOf(next)
    },
    notify: setNotice,
    version,
    changed: () => setVersion((before) => before + 1),
    unsaved: unsaved.current,
    now,
  }
  const dataClass = place.dataClass === null ? undefined : model?.classes.get(place.dataClass)
  return (
    <>
      <header class="top">
        <a class="brand" href={hashOf(diagramPlace)}>
          {name}
        </a>
        <nav class="classes" aria-label="Dataclasses">
          {[...(model?.classes.keys() ?? [])].map((one) => (
            <a
              key={one}
              href={hashOf(placeOf(one))}
              aria-current={one === place.dataClass ? 'page' : undefined}
            >
              {one}
            </a>
          ))}
        </nav>
        <span class="spring" />
        {user === null ? (
          hasUsers && (
            <button type="button" class="quiet" onClick={() => setLogin('requested')}>
              Log in
            </button>
          )
        ) : (
          <>
            <span class="user">{user}</span>
            {hasUsers && (
              <button type="button" class="quiet" onClick={logOut}>
                Log out
              </button>
            )}
          </>
        )}
        <ThemeSwitch />
      </header>
      <main>
        {refusal !== null && <Problem refusal={refusal} />}
        {scene !== null && place.dataClass === null && (
          <Front scene={scene} addresses={addresses} />
        )}
        {scene !== null && place.dataClass !== null && dataClass === undefined && (
          <p class="problem">There is no dataclass "{place.dataClass}".</p>
        )}
        {scene !== null && dataClass !== undefined && (
          <SelectionView
            key={dataClass.name}
            scene={scene}
            dataClass={dataClass}
            setLabel={sets.sets.find(({ id }) => id === place.set)?.label ?? null}
            keep={() => act(sets.keep(ask, place))}
          />
        )}
      </main>
      <output class={`notice${notice === '' ? ' silent' : ''}`} aria-live="polite">
        {notice}
        {notice !== '' && (
          <button type="button" class="quiet" aria-label="Dismiss" onClick={() => setNotice('')}>
            ✕
          </button>
        )}
      </output>
      {scene !== null && (
        <Shelf
          scene={scene}
          sets={sets.sets}
          release={(set) => act(sets.release(ask, set))}
          combine={(one, operator, other) => act(sets.combine(ask, one, operator, other))}
        />
      )}
      {login !== 'no' && (
        <Login
          ask={ask}
          isNeeded={login === 'needed'}
          done={() => {
            setLogin('no')
            begin()
          }}
          close={() => setLogin('no')}
        />
      )}
    </>
  )
}

function Front({ scene, addresses }: { scene: Scene; addresses: readonly NamedAddress[] }) {
  return (
    <div class="front">
      <h1>{scene.model.name}</h1>
      <DiagramView scene={scene} />
      <section aria-labelledby="addresses-title">
        <h2 id="addresses-title">Addresses worth opening</h2>
        <ul class="addresses">
          {addresses.map(({ title, href }) => (
            <li key={href}>
              <a href={href}>{title}</a>
              <code>{decodeURI(href).replaceAll('%27', "'")}</code>
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}
