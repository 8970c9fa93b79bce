/** A text from the browser's storage; null if it is missing or storage is disabled. */
export function stored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Stores a text. If the storage is full or disabled, the text is lost with the page. */
export function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text)
  } catch {
    // The contract above allows the loss.
  }
}
