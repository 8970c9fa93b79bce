import { useState } from 'preact/hooks'
import { searchCondition } from './filter-parts.ts'
import type { DataClass } from './model.ts'

interface SearchBoxProps {
  readonly dataClass: DataClass
  readonly narrow: (condition: string) => void
}

/** Searches words in all texts of the dataclass: Enter adds a condition to the filter. */
export function SearchBox({ dataClass, narrow }: SearchBoxProps) {
  const [text, setText] = useState('')
  if (searchCondition('x', dataClass) === null) return null
  return (
    <input
      class="search"
      type="search"
      aria-label={`Search all texts of ${dataClass.name}`}
      placeholder="Search texts"
      title="Enter adds the search to the filter"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        // The form around it would apply the filter as it is typed.
        event.preventDefault()
        const condition = searchCondition(text, dataClass)
        if (condition === null) return
        setText('')
        narrow(condition)
      }}
    />
  )
}
