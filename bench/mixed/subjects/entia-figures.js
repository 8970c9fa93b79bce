/** The store's own figures, and the number of entities of a dataclass. */
export const figuresOf = ({ figures }, table) => ({
  rows: table.count,
  historyCommits: figures.historyCommits,
  historyBytes: figures.historyBytes,
  keptTextCharacters: figures.keptTextCharacters,
  filtersCompiled: figures.filtersCompiled,
})
