import { expect } from 'vitest'

/** Names that appear twice in one object of a JSON text, which `JSON.parse` does not report. */
export function repeatedNames(json: string): readonly string[] {
  const repeated: string[] = []
  /** The names of each open object; null for an array. */
  const open: (Set<string> | null)[] = []
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[^\s"]/g) ?? []
  for (const [at, token] of tokens.entries()) {
    if (token === '{') open.push(new Set())
    else if (token === '[') open.push(null)
    else if (token === '}' || token === ']') open.pop()
    else if (token.startsWith('"') && tokens[at + 1] === ':') {
      const name: string = JSON.parse(token)
      if (open.at(-1)?.has(name)) repeated.push(name)
      open.at(-1)?.add(name)
    }
  }
  return repeated
}

/** Expects that no object of the text has one name twice. Texts of event streams count as well. */
export function expectOnce(label: string, text: string): void {
  const events = text.startsWith('{') || text.startsWith('[') ? [text] : text.split('\n')
  for (const event of events)
    expect([label, repeatedNames(event.replace(/^data: ?/, ''))]).toEqual([label, []])
}
