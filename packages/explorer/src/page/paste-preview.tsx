import type { DataClass } from './model.ts'
import { Text } from './null-text.tsx'
import { isRefused, type PastedRow, type PasteMode, skippedColumns } from './paste-plan.ts'

const shownRows = 50

interface PastePreviewProps {
  readonly rows: readonly PastedRow[]
  /** The attributes of the pasted columns. */
  readonly names: readonly string[]
  readonly dataClass: DataClass
  readonly mode: PasteMode
  /** Pasted lines below the last shown entity. */
  readonly beyond: number
}

/** The values that a paste changes, the refused ones with their reason first. */
export function PastePreview({ rows, names, dataClass, mode, beyond }: PastePreviewProps) {
  const refused = rows.filter(isRefused)
  const ordered = [...refused, ...rows.filter((row) => !isRefused(row))]
  const skipped = skippedColumns(names, dataClass, mode)
  const size = (count: number) => count.toLocaleString('en')
  return (
    <section class="preview" aria-label="Preview">
      <p>
        {rows.length === 0
          ? 'Nothing would change.'
          : `${size(rows.length - refused.length)} of ${size(rows.length)} rows can be saved${refused.length === 0 ? '.' : `, ${size(refused.length)} refused.`}`}
        {skipped.length > 0 && ` Not pasted: ${skipped.join(', ')}, which cannot be changed.`}
        {beyond > 0 && ` ${size(beyond)} lines are below the last shown row.`}
      </p>
      {rows.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region needs the keyboard.
        <div class="scroll" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">row</th>
                <th scope="col">attribute</th>
                <th scope="col">before</th>
                <th scope="col">after</th>
              </tr>
            </thead>
            <tbody>
              {ordered.slice(0, shownRows).flatMap((row) => [
                ...(row.problem === ''
                  ? []
                  : [
                      <tr key={`${row.name} problem`}>
                        <th scope="row">{row.name}</th>
                        <td colSpan={3} class="theirs">
                          {row.problem}
                        </td>
                      </tr>,
                    ]),
                ...row.cells.map(({ attribute, before, after, problem }) => (
                  <tr key={`${row.name} ${attribute.name}`}>
                    <th scope="row">{row.name}</th>
                    <td>{attribute.name}</td>
                    <td>{row.entity === null ? '' : <Text text={before} />}</td>
                    <td class={problem === '' ? 'mine' : 'theirs'}>
                      <Text text={after} />
                      {problem !== '' && <p>{problem}</p>}
                    </td>
                  </tr>
                )),
              ])}
            </tbody>
          </table>
        </div>
      )}
      {rows.length > shownRows && <p class="note">and {size(rows.length - shownRows)} more rows</p>}
    </section>
  )
}
