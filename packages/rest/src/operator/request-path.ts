import type { Address, PathPart } from '../request/address.ts'

/** The path of a request without the values in it: `/Employee(…)/employer`. */
export function pathOf(address: Address): string {
  switch (address.kind) {
    case 'data': {
      const { dataClass, selector, parts } = address
      return `/${dataClass}${selector === null ? '' : '(…)'}${parts.map(partOf).join('')}`
    }
    case 'catalog':
      return '/$catalog'
    case 'directory':
      return `/$directory/${address.command}`
    case 'info':
      return '/$info'
    case 'singleton':
      return `/$singleton/${address.singleton}/${address.functionName}`
    case 'releaseSets':
      return '/$entityset/$release'
    case 'liveQuery':
      return '/$live/…'
    case 'health':
      return `/$health/${address.of}`
    case 'replica':
      return address.part === 'stream' ? '/$replica' : '/$replica/batches'
    case 'upload':
    case 'openapi':
    case 'metrics':
    case 'operator':
      return `/$${address.kind}`
  }
}

const partOf = (part: PathPart): string =>
  part.kind === 'entitySet' ? '/$entityset/…' : `/${part.names.join(',')}`
