/** Lines of icons, 16 units wide and high. */
const lines = {
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  views: 'M4.5 2.5h7v11L8 10.7l-3.5 2.8z',
  values: 'M2.5 4h11M2.5 8h7.5M2.5 12h4',
  new: 'M8 3v10M3 8h10',
  more: 'M2 7.5h1v1h-1zM7.5 7.5h1v1h-1zM13 7.5h1v1h-1z',
  keep: 'M2.5 9h3l1 2h3l1-2h3v4.5h-11zM2.5 9l2-6h7l2 6',
  export: 'M8 2.5v7.5M5 7.2l3 3 3-3M3 13.5h10',
  paste: 'M5.5 3.5h-2v10h9v-10h-2M5.5 2h5v3h-5z',
  link: 'M6.5 9.5l3-3M7.5 5l2-2a2.5 2.5 0 0 1 3.5 3.5l-2 2M5 7.5l-2 2A2.5 2.5 0 0 0 6.5 13l2-2',
  delete: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
} as const

export type IconName = keyof typeof lines

/** A picture beside a text that says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={lines[name]} />
    </svg>
  )
}
