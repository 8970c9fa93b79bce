/** A line on stderr that tells how far a load has come; nothing where stderr is no terminal. */
export function progressLine(what: string): { onProgress(rows: number): void; end(): void } {
  const { stderr } = process
  if (!stderr.isTTY) return { onProgress: () => {}, end: () => {} }
  const clear = '\r\u001B[K'
  return {
    onProgress: (rows) => void stderr.write(`${clear}${what}: ${rows.toLocaleString('en')} rows`),
    end: () => void stderr.write(clear),
  }
}
