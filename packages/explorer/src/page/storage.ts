/** What this browser kept under a key; null where it kept nothing, or may not. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Keeps a text; a browser that is full, or is forbidden to, forgets it with the page. */
export function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // As said above.
  }
}
