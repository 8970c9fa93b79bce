import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme } from './theme.tsx'

// Written into the page by the server: the base path, the name of the store, and the links.
const meta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
const root = document.getElementById('app')
const addresses = [...document.querySelectorAll<HTMLAnchorElement>('#app a')].map((link) => ({
  title: link.textContent ?? '',
  href: link.getAttribute('href') ?? '',
}))
applyTheme()
dropStrayClicks()
if (root !== null) {
  root.replaceChildren()
  render(
    <App
      base={meta('entia-base')}
      name={meta('entia-store')}
      addresses={addresses}
      hasUsers={meta('entia-users') === 'true'}
      now={() => Date.now()}
    />,
    root,
  )
}

/** Parts of the page that a click acts on as one. */
const parts = 'a, button, input, select, textarea, summary, label, td, th'

const partOf = (target: EventTarget | null): Element | null =>
  target instanceof Element ? (target.closest(parts) ?? target) : null

/**
 * Drops the second click of a double click if it hits another part of the page than the first one:
 * the first click may open a panel, which moves what is below the pointer.
 */
function dropStrayClicks(): void {
  let first: Element | null = null
  const onMouse = (event: MouseEvent) => {
    const part = partOf(event.target)
    if (event.type === 'mousedown' && event.detail === 1) first = part
    if (event.detail < 2 || part === first) return
    event.preventDefault()
    event.stopPropagation()
  }
  for (const type of ['mousedown', 'click'] as const)
    document.addEventListener(type, onMouse, { capture: true })
}
