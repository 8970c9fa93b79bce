import { render } from 'preact'
import { App } from './app.tsx'
import { dropStrayClicks } from './pointer.ts'
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
