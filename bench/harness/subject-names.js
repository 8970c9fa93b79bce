/** The hand-written limit, and our own store: every table is about these two. */
export const limitName = 'limit'
export const ourName = 'entia'
