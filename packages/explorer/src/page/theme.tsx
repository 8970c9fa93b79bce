import { useState } from 'preact/hooks'
import { store, stored } from './storage.ts'

const key = 'entia theme'
const themes = ['auto', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

/** The theme stored in this browser; `auto` follows the system. */
function storedTheme(): Theme {
  const chosen = stored(key)
  return themes.find((theme) => theme === chosen) ?? 'auto'
}

/** Applies the stored theme before the first rendering. */
export function applyTheme(theme: Theme = storedTheme()): void {
  document.documentElement.dataset.theme = theme
}

/** Light, dark, or the system's theme. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(storedTheme)
  const choose = (next: Theme) => {
    setTheme(next)
    applyTheme(next)
    store(key, next)
  }
  return (
    <select
      class="theme"
      aria-label="Theme"
      value={theme}
      onChange={(event) =>
        choose(themes.find((one) => one === event.currentTarget.value) ?? 'auto')
      }
    >
      {themes.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </select>
  )
}
