import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { createAsk, createFollow, Refusal } from './api.ts'
import { Console } from './console.tsx'
import { DiagramView } from './diagram.tsx'
import { knownPlace, unknownIn } from './known-place.ts'
import { Login } from './login.tsx'
import { type Model, membersOf, readModel, textOf } from './model.ts'
import { Notice, type NoticeText } from './notice.tsx'
import { type Operator, readOperator } from './operator.ts'
import { diagramPlace, hashOf, type Place, placeFrom, placeOf } from './place.ts'
import { Problem } from './problem.tsx'
import { useStoredWidth } from './resizer.tsx'
import type { Memory, Scene } from './scene.ts'
import { SelectionView } from './selection-view.tsx'
import { Server, toolTitles } from './server.tsx'
import { Shelf } from './shelf.tsx'
import { setIdIn } from './shelf-state.ts'
import { useShortcuts } from './shortcuts.tsx'
import { Sidebar } from './sidebar.tsx'
import { useCounts } from './use-counts.ts'
import { useDrawer } from './use-drawer.ts'
import { useHistory } from './use-history.ts'
import { useSets } from './use-sets.ts'
import type { Shelved } from './use-unsaved.ts'

/** A link that the server shows on the start page. */
interface NamedAddress {
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
  const [address, setAddress] = useState<Place>(() => placeFrom(location.hash))
  const place = useMemo(() => (model ? knownPlace(address, model) : address), [address, model])
  const [operator, setOperator] = useState<Operator | null>(null)
  const [user, setUser] = useState<string | null>(null)
  const [login, setLogin] = useState<'no' | 'requested' | 'needed'>('no')
  const [notice, setNotice] = useState<NoticeText>({ text: '' })
  const [version, setVersion] = useState(0)
  const unsaved = useRef<Shelved>(new Map())
  const memory = useRef<Memory>({ camera: null })
  const [search, setSearch] = useState('')
  const drawer = useDrawer()
  const latestDrawer = useRef(drawer)
  latestDrawer.current = drawer
  const [sidebarWidth, resizeSidebar] = useStoredWidth('entia sidebar width', 220)
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
  const follow = useMemo(() => createFollow(base), [base])
  // A dataclass that the user may not count must not ask for a login.
  const askCount = useMemo(() => createAsk(base, () => {}), [base])
  const { counts, list, counted } = useCounts(
    askCount,
    drawer.isShown ? model : null,
    version,
    search,
  )

  const begin = async () => {
    try {
      const current = membersOf(membersOf(await ask('$directory/currentUser')).result)
      setUser(textOf(current.fullName) || textOf(current.userName) || null)
      const described = readModel(await ask('$catalog/$all'))
      setOperator(described.offersOperators ? await readOperator(askCount) : null)
      setModel(described)
      setRefusal(null)
      setVersion((before) => before + 1)
    } catch (error) {
      const refused = error instanceof Refusal ? error : new Refusal(0, null)
      setRefusal(refused)
      if (refused.status === 401) setModel(null)
    }
  }
  useEffect(() => {
    begin()
  }, [])
  // With the page, not after painting: the address may change before.
  useLayoutEffect(() => {
    const onHash = () => {
      setAddress(placeFrom(location.hash))
      latestDrawer.current.leave()
    }
    addEventListener('hashchange', onHash)
    return () => removeEventListener('hashchange', onHash)
  }, [])
  // Before the next key: an effect after painting would still know the place before.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open]') !== null) return
      if (!drawer.leave() && place.open !== null) location.hash = hashOf({ ...place, open: null })
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [place, drawer.isShown])
  useEffect(() => {
    const page = place.dataClass ?? (place.tool === null ? null : toolTitles[place.tool])
    document.title = page === null ? name : `${page} – ${name}`
  }, [place.dataClass, place.tool, name])

  const notify = (text: string) => setNotice({ text })
  const act = async (action: Promise<string>) => {
    try {
      notify(await action)
    } catch (error) {
      notify(error instanceof Refusal ? error.message : String(error))
    }
  }
  const logOut = async () => {
    await act(ask('$directory/logout', { method: 'POST' }).then(() => 'Logged out.'))
    history.clear()
    begin()
  }
  const go = (next: Place) => {
    location.hash = hashOf(next)
  }
  const changed = () => setVersion((before) => before + 1)
  // A user whom the host identifies logs in elsewhere.
  const mayLogIn = hasUsers || user !== null
  const history = useHistory(ask, mayLogIn, notify, changed)
  const record: Scene['record'] = (step, isQuiet = false) => {
    const change = history.add(step)
    if (!isQuiet) setNotice({ text: `${step.title}.`, change })
  }
  const shortcuts = useShortcuts({
    '/': () => document.getElementById('filter')?.focus(),
    c: drawer.show,
    r: changed,
    undo: history.undo,
  })
  const menu = drawer.isShown ? null : (
    <button
      type="button"
      class="quiet menu-button"
      title="Show the sidebar (c)"
      onClick={drawer.show}
    >
      <span aria-hidden="true">☰</span>
      <span class="unseen">Show the sidebar</span>
    </button>
  )
  const scene: Scene | null = model && {
    base,
    model,
    ask,
    follow,
    place,
    go,
    notify,
    record,
    history,
    version,
    changed,
    unsaved: unsaved.current,
    now,
    counted,
    menu,
    memory: memory.current,
  }
  const dataClass = model?.classes.get(place.dataClass ?? '')
  const unknown = model && unknownIn(place, model)
  return (
    <>
      {drawer.isShown && (
        <>
          <Sidebar
            name={name}
            model={model}
            current={place.dataClass}
            counts={counts}
            list={list}
            search={search}
            setSearch={setSearch}
            width={drawer.isNarrow ? null : sidebarWidth}
            resize={resizeSidebar}
            user={user}
            hasUsers={hasUsers}
            logIn={() => setLogin('requested')}
            logOut={logOut}
            showKeys={shortcuts.show}
            hide={drawer.hide}
            go={(dataClass) => go(placeOf(dataClass))}
            tool={place.tool}
            seesServer={operator !== null}
          />
          {drawer.isNarrow && (
            // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: Escape closes it too.
            <div class="backdrop" onClick={drawer.hide} />
          )}
        </>
      )}
      <div class="stage" inert={drawer.isNarrow && drawer.isShown}>
        <main>
          {scene === null && menu}
          {refusal !== null && <Problem refusal={refusal} />}
          {scene !== null && place.tool === 'console' && <Console scene={scene} />}
          {scene !== null && place.tool !== null && place.tool !== 'console' && (
            <Server scene={scene} operator={operator} tool={place.tool} />
          )}
          {scene !== null && place.dataClass === null && place.tool === null && (
            <Front scene={scene} addresses={addresses} />
          )}
          {unknown !== null && (
            <>
              <div class="head">
                {menu}
                <h1>
                  <a href={hashOf(diagramPlace)}>{model?.name}</a>
                </h1>
              </div>
              <p class="problem">{unknown}</p>
            </>
          )}
          {scene !== null && dataClass !== undefined && unknown === null && (
            <SelectionView
              key={dataClass.name}
              scene={scene}
              dataClass={dataClass}
              setLabel={sets.sets.find(({ id }) => id === place.set)?.label ?? null}
              keep={() => act(sets.keep(ask, place))}
            />
          )}
        </main>
        <Notice notice={notice} history={history} dismiss={() => notify('')} now={now} />
        {scene !== null && (
          <Shelf
            scene={scene}
            sets={sets.sets}
            release={(set) => act(sets.release(ask, set))}
            combine={(one, operator, other) => act(sets.combine(ask, one, operator, other))}
          />
        )}
      </div>
      {shortcuts.dialog}
      {login !== 'no' && (
        <Login
          ask={ask}
          isNeeded={login === 'needed'}
          done={() => {
            setLogin('no')
            history.clear()
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
      <div class="head">
        {scene.menu}
        <h1>{scene.model.name}</h1>
      </div>
      <DiagramView scene={scene} />
      <section class="links" aria-labelledby="addresses-title">
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
