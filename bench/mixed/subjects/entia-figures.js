/** What a store counts of itself, and how many entities a dataclass has. */
export const figuresOf = ({ figures }, table) => ({
  rows: table.count,
  historyCommits: figures.historyCommits,
  historyBytes: figures.historyBytes,
  keptTextCharacters: figures.keptTextCharacters,
  filtersCompiled: figures.filtersCompiled,
})
