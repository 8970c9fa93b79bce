// The front end's own tests. They need a back end at the address in the variable API:
// "json-server db.json" or "entia serve --plain db.json".
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '../api.js'

const titles = (posts) => posts.map(({ title }) => title)

test('pages through the posts, the most read first', async () => {
  const first = await api.pageOfPosts(1, 2)
  assert.deepEqual(titles(first.posts), ['Entia', 'Indexes'])
  assert.equal(first.total, 5)
  assert.equal(first.hasNext, true)
  const last = await api.pageOfPosts(3, 2)
  assert.deepEqual(titles(last.posts), ['A draft'])
  assert.equal(last.hasNext, false)
})

test('finds popular posts, posts of an author, and text', async () => {
  assert.deepEqual(titles(await api.popularPosts(150)), ['Entia', 'Indexes', 'Relations'])
  assert.deepEqual(titles(await api.postsBy('ada')), ['Entia', 'A draft'])
  assert.deepEqual(titles(await api.searchPosts('DRAFT')), ['A draft'])
})

test('shows posts with their comments, and comments with their posts', async () => {
  const post = await api.postWithComments(1)
  assert.deepEqual(
    post.comments.map(({ body }) => body),
    ['First!', 'Well said'],
  )
  const comments = await api.commentsWithPosts()
  assert.equal(comments[2].post.title, 'Entia')
  assert.equal((await api.commentsOf(5)).length, 1)
})

test('creates, changes, replaces and removes a post', async () => {
  const { post, location } = await api.createPost({ title: 'New', views: 1, mood: 'cheerful' })
  assert.deepEqual(post, { id: 6, title: 'New', views: 1, mood: 'cheerful' })
  assert.match(location, /\/posts\/6$/)
  assert.deepEqual(await api.changePost(6, { views: 2 }), { ...post, views: 2 })
  assert.deepEqual(await api.replacePost(6, { title: 'Newer' }), { id: 6, title: 'Newer' })
  await api.removePost(6)
  assert.equal(await api.postExists(6), false)
})

test('removes the comments of a post with it', async () => {
  await api.removePost(1)
  const comments = await api.commentsWithPosts()
  assert.deepEqual(
    comments.map(({ postId }) => postId),
    [2, 5],
  )
})

test('reads and changes the profile', async () => {
  assert.deepEqual(await api.changeProfile({ theme: 'light' }), {
    name: 'typicode',
    theme: 'light',
  })
  assert.equal((await api.profile()).theme, 'light')
})
