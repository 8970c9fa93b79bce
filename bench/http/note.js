/** A note whose JSON is about one kilobyte. @type {import('./servers/server.js').Note} */
export const note = {
  title: 'Minutes of the meeting',
  author: 'Lonekaova.Eljukason.5@example.com',
  pinned: false,
  rank: 17,
  text: 'What was said, and what is to be done about it until the next time. '.repeat(13).trim(),
}
