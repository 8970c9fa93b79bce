// The front end's access to its back end, as it was written for json-server.
const base = process.env.API ?? 'http://localhost:3000'

async function request(path, options) {
  const response = await fetch(base + path, options)
  if (!response.ok) throw new Error(`${options?.method ?? 'GET'} ${path}: ${response.status}`)
  return response
}

const send = (method, path, body) =>
  request(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** A page of posts, with the number of all and whether there is a next page. */
export async function pageOfPosts(page, size) {
  const response = await request(`/posts?_sort=views&_order=desc&_page=${page}&_limit=${size}`)
  return {
    posts: await response.json(),
    total: Number(response.headers.get('x-total-count')),
    hasNext: /rel="next"/.test(response.headers.get('link') ?? ''),
  }
}

export const popularPosts = async (views) =>
  (await request(`/posts?views_gte=${views}&published=true`)).json()

export const postsBy = async (author) =>
  (await request(`/posts?author.name=${encodeURIComponent(author)}`)).json()

export const searchPosts = async (text) =>
  (await request(`/posts?q=${encodeURIComponent(text)}`)).json()

export const postWithComments = async (id) => (await request(`/posts/${id}?_embed=comments`)).json()

export const commentsWithPosts = async () => (await request('/comments?_expand=post')).json()

export const commentsOf = async (id) => (await request(`/posts/${id}/comments`)).json()

export async function createPost(post) {
  const response = await send('POST', '/posts', post)
  return { post: await response.json(), location: response.headers.get('location') }
}

export const changePost = async (id, changes) =>
  (await send('PATCH', `/posts/${id}`, changes)).json()

export const replacePost = async (id, post) => (await send('PUT', `/posts/${id}`, post)).json()

export const removePost = async (id) => {
  await request(`/posts/${id}`, { method: 'DELETE' })
}

export const postExists = async (id) => (await fetch(`${base}/posts/${id}`)).status !== 404

export const profile = async () => (await request('/profile')).json()

export const changeProfile = async (changes) => (await send('PATCH', '/profile', changes)).json()
