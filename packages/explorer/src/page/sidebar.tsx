import { useEffect } from 'preact/hooks'
import type { Model } from './model.ts'
import { diagramPlace, hashOf, placeOf, placeOfTool, type Tool } from './place.ts'
import { Resizer } from './resizer.tsx'
import { ThemeSwitch } from './theme.tsx'
import type { Counts } from './use-counts.ts'
import { useRoving } from './use-roving.ts'

interface SidebarProps {
  readonly name: string
  readonly model: Model | null
  /** The dataclass on the page. */
  readonly current: string | null
  readonly counts: Counts['counts']
  readonly list: Counts['list']
  readonly search: string
  readonly setSearch: (text: string) => void
  /** Null on a phone, where the sidebar cannot be resized. */
  readonly width: number | null
  readonly resize: (width: number) => void
  readonly user: string | null
  readonly hasUsers: boolean
  readonly logIn: () => void
  readonly logOut: () => void
  readonly showKeys: () => void
  readonly hide: () => void
  readonly go: (dataClass: string) => void
  /** The tool on the page, and whether the user may see the server. */
  readonly tool: Tool | null
  readonly seesServer: boolean
}

/** The dataclasses whose name contains a text, in the order of the catalog. */
function matchingClasses(model: Model | null, search: string): readonly string[] {
  const wanted = search.trim().toLowerCase()
  return [...(model?.classes.keys() ?? [])].filter((one) => one.toLowerCase().includes(wanted))
}

/** All dataclasses with their counts and a search, and below them the user and the theme. */
export function Sidebar(props: SidebarProps) {
  const { name, model, current, counts, search, setSearch, width, hide, go } = props
  const [nav, onKeyDown] = useRoving<HTMLElement>('vertical')
  const shown = matchingClasses(model, search)
  const total = model?.classes.size ?? 0
  const links = () => props.list.current?.querySelectorAll<HTMLElement>('a')
  useEffect(() => {
    links()?.forEach((link) => {
      if (link.hasAttribute('aria-current')) link.scrollIntoView({ block: 'nearest' })
    })
  }, [current, model])
  const onSearchKey = (event: KeyboardEvent) => {
    const [first] = shown
    if (event.key === 'Enter' && first !== undefined) go(first)
    else if (event.key === 'ArrowDown') links()?.[0]?.focus()
    else if (event.key === 'Escape' && search !== '') setSearch('')
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <header class="sidebar" style={width === null ? undefined : { width: `${width}px` }}>
      <div class="sidebar-head">
        <a class="brand" href={hashOf(diagramPlace)}>
          {name}
        </a>
        <button type="button" class="quiet" title="Hide the sidebar" onClick={hide}>
          <span aria-hidden="true">«</span>
          <span class="unseen">Hide the sidebar</span>
        </button>
      </div>
      <input
        id="class-search"
        type="search"
        aria-label="Find a dataclass"
        placeholder={total === 1 ? 'Find in one dataclass' : `Find in ${total} dataclasses`}
        autocomplete="off"
        spellcheck={false}
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={onSearchKey}
      />
      <nav class="classes" aria-label="Dataclasses" ref={nav} onKeyDown={onKeyDown}>
        <ul ref={props.list}>
          {shown.map((one) => (
            <li key={one} data-class={one}>
              <a href={hashOf(placeOf(one))} aria-current={one === current ? 'page' : undefined}>
                <span class="class-label" title={one}>
                  {one}
                </span>{' '}
                <span class="count">{counts.get(one)?.toLocaleString('en') ?? ''}</span>
              </a>
            </li>
          ))}
        </ul>
        {search !== '' && (
          <output class="note">
            {shown.length} of {total}
          </output>
        )}
      </nav>
      <nav class="tools" aria-label="Tools">
        <a
          href={hashOf(placeOfTool('console'))}
          aria-current={props.tool === 'console' ? 'page' : undefined}
        >
          Console
        </a>
        {props.seesServer && (
          <a
            href={hashOf(placeOfTool('requests'))}
            aria-current={props.tool !== null && props.tool !== 'console' ? 'page' : undefined}
          >
            Server
          </a>
        )}
      </nav>
      <div class="sidebar-foot">
        {props.user !== null && (
          <>
            <span class="user">{props.user}</span>
            {props.hasUsers && (
              <button type="button" class="quiet" onClick={props.logOut}>
                Log out
              </button>
            )}
          </>
        )}
        {props.user === null && props.hasUsers && (
          <button type="button" class="quiet" onClick={props.logIn}>
            Log in
          </button>
        )}
        <span class="spring" />
        <ThemeSwitch />
        <button type="button" class="quiet" title="Keyboard (?)" onClick={props.showKeys}>
          <span aria-hidden="true">?</span>
          <span class="unseen">Keyboard</span>
        </button>
      </div>
      {width !== null && (
        <Resizer label="sidebar" side="left" width={width} resize={props.resize} />
      )}
    </header>
  )
}
