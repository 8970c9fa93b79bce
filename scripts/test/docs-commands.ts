/** A request that a page shows for curl. */
export interface Curl {
  readonly line: string
  readonly method: string
  /** Including the query. */
  readonly path: string
  readonly body: string | null
}

const block = /^```([^\n]*)\n([\s\S]*?)^```$/gm

/**
 * The blocks marked "sh curl", in order, each with its `json` block: the response to its last
 * request.
 */
export function curlsOf(
  page: string,
): readonly { readonly curls: readonly Curl[]; readonly answer: string }[] {
  const blocks = [...page.matchAll(block)].map(([, info, text]) => ({
    info,
    text: (text ?? '').trim(),
  }))
  return blocks.flatMap(({ info, text }, i) => {
    if (info !== 'sh curl') return []
    const next = blocks[i + 1]
    if (next?.info !== 'json') throw new Error(`No response after ${text}`)
    return [{ curls: text.split('\n').map(curlOf), answer: next.text }]
  })
}

function curlOf(line: string): Curl {
  const address = /http:\/\/localhost:8080([^\s']*)/.exec(line)?.[1]
  if (address === undefined) throw new Error(`No address in ${line}`)
  const body = / -d '([^']*)'/.exec(line)?.[1] ?? null
  const method = / -X (\w+)/.exec(line)?.[1] ?? (body === null ? 'GET' : 'POST')
  return { line, method, path: address, body }
}

/** The files of a page: blocks marked "file=<name>". */
export function filesOf(page: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const [, info, text] of page.matchAll(block)) {
    const name = /\bfile=(\S+)/.exec(info ?? '')?.[1]
    if (name !== undefined) files.set(name, text ?? '')
  }
  return files
}

export function fileOf(page: string, name: string): string {
  const text = filesOf(page).get(name)
  if (text === undefined) throw new Error(`The page has no file ${name}.`)
  return text
}
