/** What a store counts of itself, as numbers by name. */
export const figuresOf = ({ figures }) => ({
  historyCommits: figures.historyCommits,
  historyBytes: figures.historyBytes,
  keptTextCharacters: figures.keptTextCharacters,
  filtersCompiled: figures.filtersCompiled,
})
