/** The size of the store of a soak test, and the words of its texts. */
export const COMPANIES = 200
export const EMPLOYEES = 10_000
export const NAMES = [
  'Ada',
  'Grace',
  'Émile',
  'Ann',
  "O'Neil",
  'Zoë',
  'Alan',
  'Edsger',
  'Barbara',
  'Niklaus',
  'Donald',
]
export const CITIES = ['Paris', 'Clichy', 'San Jose', 'Dallas', 'Chicago', 'São Paulo', 'Zürich']
