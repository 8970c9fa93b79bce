/** The part of a browser that reports its network. */
interface Host {
  addEventListener?(name: string, listener: () => void): void
  removeEventListener?(name: string, listener: () => void): void
  readonly navigator?: { readonly onLine?: boolean }
}
const host = globalThis as Host

/**
 * Calls back when a browser loses its network, and when it has one again. Other programs report
 * neither. Returns a function that ends it.
 */
export function watchNetwork(changed: (isOnline: boolean) => void): () => void {
  const wentOnline = (): void => changed(true)
  const wentOffline = (): void => changed(false)
  host.addEventListener?.('online', wentOnline)
  host.addEventListener?.('offline', wentOffline)
  return () => {
    host.removeEventListener?.('online', wentOnline)
    host.removeEventListener?.('offline', wentOffline)
  }
}

/** False if a browser says that it has no network. */
export const isOnline = (): boolean => host.navigator?.onLine !== false
