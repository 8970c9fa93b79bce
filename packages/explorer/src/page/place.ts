/** One step along a relation, from the entity with this key. */
interface Step {
  readonly dataClass: string
  readonly key: string
  readonly relation: string
}

export type View = 'rows' | 'plan' | 'chart'

const tools = ['console', 'requests', 'sizes', 'indexes', 'streams', 'storage'] as const
/** The console, and the parts of the page of the server. */
export type Tool = (typeof tools)[number]

/** The state of the page. The address holds all of it after `#`, so that reload and back work. */
export interface Place {
  /** A page that belongs to no dataclass; null for a dataclass and the diagram. */
  readonly tool: Tool | null
  /** null shows the diagram. */
  readonly dataClass: string | null
  /** The relations that were followed; the last step limits the grid. */
  readonly via: readonly Step[]
  /** The id of the shown entity set. */
  readonly set: string | null
  readonly filter: string
  readonly order: string
  /** From 0. */
  readonly page: number
  readonly columns: readonly string[] | null
  /** The columns that the user has sized, in pixels. */
  readonly widths: readonly (readonly [name: string, pixels: number])[]
  /** The name of the saved view; null without one. */
  readonly name: string | null
  /** The key of the entity in the side panel; `''` for a new one. */
  readonly open: string | null
  readonly view: View
  readonly chart: ChartChoice | null
}

export interface ChartChoice {
  readonly x: string
  readonly y: string
  readonly how: 'count' | 'sum' | 'average' | 'min' | 'max'
}

export const diagramPlace: Place = {
  tool: null,
  dataClass: null,
  via: [],
  set: null,
  filter: '',
  order: '',
  page: 0,
  columns: null,
  widths: [],
  name: null,
  open: null,
  view: 'rows',
  chart: null,
}

/** The first page of a dataclass, with further properties. */
export function placeOf(dataClass: string, more: Partial<Place> = {}): Place {
  return { ...diagramPlace, dataClass, ...more }
}

export function placeOfTool(tool: Tool): Place {
  return { ...diagramPlace, tool }
}

/** `#/Flight?filter=…`; the diagram is `#/`, a tool `#/$console`. */
export function hashOf(place: Place): string {
  if (place.tool !== null) return `#/$${place.tool}`
  if (place.dataClass === null) return '#/'
  const parts: string[] = []
  const add = (name: string, value: string) => parts.push(`${name}=${encodeURIComponent(value)}`)
  for (const step of place.via)
    add(
      'via',
      [step.dataClass, step.key, step.relation].map((part) => encodeURIComponent(part)).join('/'),
    )
  if (place.set !== null) add('set', place.set)
  if (place.filter !== '') add('filter', place.filter)
  if (place.order !== '') add('order', place.order)
  if (place.page > 0) add('page', String(place.page + 1))
  if (place.columns !== null) add('columns', place.columns.join(','))
  if (place.widths.length > 0)
    add('widths', place.widths.map(([name, width]) => `${name}:${width}`).join(','))
  if (place.name !== null) add('name', place.name)
  if (place.open !== null) add('open', place.open)
  if (place.view !== 'rows') add('view', place.view)
  if (place.chart !== null) add('chart', [place.chart.x, place.chart.how, place.chart.y].join(','))
  const query = parts.length === 0 ? '' : `?${parts.join('&')}`
  return `#/${encodeURIComponent(place.dataClass)}${query}`
}

/** Parses a hash that a user may have typed: ignores invalid parts. */
export function placeFrom(hash: string): Place {
  const [path = '', query = ''] = splitOnce(hash.replace(/^#\/?/, ''), '?')
  const dataClass = decode(path)
  const tool = tools.find((one) => dataClass === `$${one}`)
  if (tool !== undefined) return placeOfTool(tool)
  if (dataClass === '') return diagramPlace
  const found = new Map<string, string[]>()
  for (const part of query.split('&')) {
    const [name = '', value = ''] = splitOnce(part, '=')
    found.set(name, [...(found.get(name) ?? []), decode(value)])
  }
  const first = (name: string) => found.get(name)?.[0]
  const page = Number(first('page') ?? '1')
  const view = first('view')
  return {
    tool: null,
    dataClass,
    via: (found.get('via') ?? []).flatMap(stepFrom),
    set: first('set') ?? null,
    filter: first('filter') ?? '',
    order: first('order') ?? '',
    page: Number.isInteger(page) && page > 1 ? page - 1 : 0,
    columns: first('columns')?.split(',').filter(Boolean) ?? null,
    widths: (first('widths') ?? '').split(',').flatMap(widthFrom),
    name: first('name') || null,
    open: first('open') ?? null,
    view: view === 'plan' || view === 'chart' ? view : 'rows',
    chart: chartFrom(first('chart') ?? ''),
  }
}

function stepFrom(text: string): readonly Step[] {
  const [dataClass = '', key = '', relation = '', ...rest] = text.split('/').map(decode)
  return dataClass === '' || relation === '' || rest.length > 0
    ? []
    : [{ dataClass, key, relation }]
}

function widthFrom(text: string): Place['widths'] {
  const [name = '', width = ''] = splitOnce(text, ':')
  return name === '' || !/^[1-9]\d{1,2}$/.test(width) ? [] : [[name, Number(width)]]
}

function chartFrom(text: string): ChartChoice | null {
  const [x = '', how, y = ''] = text.split(',')
  if (how !== 'count' && how !== 'sum' && how !== 'average' && how !== 'min' && how !== 'max')
    return null
  return x === '' ? null : { x, how, y }
}

function splitOnce(text: string, sign: string): readonly string[] {
  const at = text.indexOf(sign)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/**
 * The order after a click on a header: ascending, descending, none. `isAdded` keeps other
 * attributes.
 */
export function orderAfterClick(order: string, name: string, isAdded: boolean): string {
  const parts = order
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  const next = { none: [`${name} asc`], asc: [`${name} desc`], desc: [] }[
    directionOf(order, name) ?? 'none'
  ]
  if (!isAdded) return next.join('')
  const at = parts.findIndex((part) => part.split(/\s+/)[0] === name)
  return (
    at < 0 ? [...parts, ...next] : [...parts.slice(0, at), ...next, ...parts.slice(at + 1)]
  ).join(', ')
}

/** The direction in which an order sorts by an attribute. */
export function directionOf(order: string, name: string): 'asc' | 'desc' | null {
  const part = order
    .split(',')
    .map((one) => one.trim().split(/\s+/))
    .find(([first]) => first === name)
  if (part === undefined) return null
  return part[1]?.toLowerCase() === 'desc' ? 'desc' : 'asc'
}
