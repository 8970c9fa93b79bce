/** One server-sent event: its name and its text. */
export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/**
 * Takes the next part of a stream of server-sent events; returns the events that it completes.
 * Events of several lines of data, and comments, are allowed.
 */
export function createEventReader(): (text: string) => readonly ServerEvent[] {
  let pending = ''
  return (text) => {
    const blocks = (pending + text).split('\n\n')
    pending = blocks.pop() ?? ''
    return blocks.flatMap(eventOf)
  }
}

function eventOf(block: string): readonly ServerEvent[] {
  const valuesOf = (field: string) =>
    block
      .split('\n')
      .filter((line) => line.startsWith(`${field}:`))
      .map((line) => line.slice(field.length + 1).replace(/^ /, ''))
  const data = valuesOf('data')
  return data.length === 0 ? [] : [{ name: valuesOf('event')[0] ?? '', data: data.join('\n') }]
}
