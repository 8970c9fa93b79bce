/** The store and the plain arrays differ. */
export class Divergence extends Error {}
/** Thrown by the body of a transaction itself. */
export class Thrown extends Error {}

export function mustEqual(found: unknown, expected: unknown): void {
  const [is, wanted] = [JSON.stringify(found), JSON.stringify(expected)]
  if (is !== wanted) throw new Divergence(`the store: ${is}\nthe model: ${wanted}`)
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
