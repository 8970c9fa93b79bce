import { pageSize } from './addresses.ts'
import type { Scene } from './scene.ts'

interface PagerProps {
  readonly scene: Scene
  /** The size of the selection; null until it is known. */
  readonly count: number | null
}

/** The number of the last page, from 0. */
export function lastPageOf(count: number): number {
  return Math.max(0, Math.ceil(count / pageSize) - 1)
}

/** The range of the current page, and buttons for other pages. */
export function Pager({ scene, count }: PagerProps) {
  const { place, go } = scene
  const last = lastPageOf(count ?? 0)
  const first = place.page * pageSize
  const to = (page: number) => go({ ...place, page })
  const button = (label: string, sign: string, page: number, isOff: boolean) => (
    <button
      type="button"
      class="quiet"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={() => to(page)}
    >
      {sign}
    </button>
  )
  return (
    <nav class="pager" aria-label="Pages">
      {button('First page', '«', 0, place.page === 0)}
      {button('Previous page', '‹', place.page - 1, place.page === 0)}
      <output>{count === null ? '…' : <Range first={first} count={count} />}</output>
      {button('Next page', '›', place.page + 1, place.page >= last)}
      {button('Last page', '»', last, place.page >= last)}
    </nav>
  )
}

function Range({ first, count }: { first: number; count: number }) {
  if (count === 0) return <>none</>
  const to = Math.min(count, first + pageSize)
  return (
    <>
      {(first + 1).toLocaleString('en')}–{to.toLocaleString('en')} of{' '}
      <b>{count.toLocaleString('en')}</b>
    </>
  )
}
