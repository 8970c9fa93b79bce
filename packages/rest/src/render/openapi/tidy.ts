import { type Piece, pieceOf } from './schema.ts'

const VERBS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'delete'])

/** The paths, each operation with a description: what it does, and what it answers. */
export function describeOperations(paths: Piece): Piece {
  const describe = (operation: Piece): Piece => {
    const { summary, responses } = operation as {
      readonly summary: string
      readonly responses: { readonly 200: { readonly description: string } }
    }
    return { ...operation, description: `${summary.replace(/\.$/, '')}. ${responses[200].description}` }
  }
  return mapMembers(paths, (item) =>
    mapMembers(item as Piece, (member, name) => (VERBS.has(name) ? describe(member as Piece) : member)),
  )
}

/** Components by kind, without those that neither the paths nor other used components refer to. Cost: O(document). */
export function usedComponents(paths: Piece, components: { readonly [kind: string]: Piece }): Piece {
  const used = new Set<string>()
  const take = (piece: unknown): void => {
    if (typeof piece !== 'object' || piece === null) return
    for (const [name, inner] of Object.entries(piece)) {
      if (name !== '$ref' || typeof inner !== 'string') take(inner)
      else if (!used.has(inner)) {
        used.add(inner)
        const [, , kind, component] = inner.split('/')
        take(new Map(Object.entries(components[kind!] ?? {})).get(component!))
      }
    }
  }
  take(paths)
  return mapMembers(components, (members, kind) =>
    pieceOf(Object.entries(members as Piece).filter(([name]) => used.has(`#/components/${kind}/${name}`))),
  )
}

const mapMembers = (piece: Piece, change: (member: unknown, name: string) => unknown): Piece =>
  pieceOf(Object.entries(piece).map(([name, member]) => [name, change(member, name)] as const))
