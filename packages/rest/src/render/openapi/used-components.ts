import { type Piece, pieceOf } from './schema.ts'

/**
 * Components by kind, without those that neither the paths nor other used components refer to.
 * Cost: O(document).
 */
export function usedComponents(
  paths: Piece,
  components: { readonly [kind: string]: Piece },
): Piece {
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
  const usedOf = (kind: string, members: Piece): Piece =>
    pieceOf(Object.entries(members).filter(([name]) => used.has(`#/components/${kind}/${name}`)))
  return pieceOf(
    Object.entries(components).map(([kind, members]) => [kind, usedOf(kind, members)] as const),
  )
}
