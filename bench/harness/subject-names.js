/** The hand-written baseline and Entia: every table compares these two. */
export const baselineName = 'baseline'
export const ourName = 'entia'
