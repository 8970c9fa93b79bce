/** A progress line on stderr for a load; does nothing if stderr is not a terminal. */
export function progressLine(what: string): { onProgress(rows: number): void; end(): void } {
  const { stderr } = process
  if (!stderr.isTTY) return { onProgress: () => {}, end: () => {} }
  const clear = '\r\u001B[K'
  return {
    onProgress: (rows) => void stderr.write(`${clear}${what}: ${rows.toLocaleString('en')} rows`),
    end: () => void stderr.write(clear),
  }
}
