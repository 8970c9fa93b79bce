/** A note whose JSON is about one kilobyte. @type {import('./servers/server.js').Note} */
export const note = {
  title: 'Minutes of the meeting',
  author: 'Lonekaova.Eljukason.5@example.com',
  pinned: false,
  rank: 17,
  text: 'The discussed points, and the tasks of everyone until the next meeting. '
    .repeat(13)
    .trim(),
}
