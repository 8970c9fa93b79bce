import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { toExpressHandler, toFastifyPlugin } from '../../src/index.ts'
import { serveBlog } from './blog.ts'

describe('hosts', () => {
  const stops: (() => unknown)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })

  test('express passes other addresses on', async () => {
    const { rest } = serveBlog()
    const app = express()
    app.use('/api', toExpressHandler(rest))
    app.use(toExpressHandler(rest))
    app.get('/postscript', (_, response) => {
      response.send('own')
    })
    const server = app.listen(0)
    stops.push(() => server.close())
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    expect(await (await fetch(`${origin}/postscript`)).text()).toBe('own')
    expect((await fetch(`${origin}/posts/1`)).status).toBe(200)
    const form = await fetch(`${origin}/posts`, {
      method: 'POST',
      body: new URLSearchParams({ title: 'Of a form', views: '7' }),
    })
    expect(await form.json()).toEqual({ id: 4, title: 'Of a form', views: 7 })
    const below = await fetch(`${origin}/api/posts?_page=1&_limit=1`)
    expect(below.headers.get('link')).toContain(`<${origin}/api/posts?_page=2`)
  })

  test('fastify has a route for each resource', async () => {
    const { rest } = serveBlog()
    const app = fastify()
    stops.push(() => app.close())
    await app.register(toFastifyPlugin(rest) as never)
    app.get('/own', async () => 'own')
    const answer = async (method: 'GET' | 'PATCH', url: string, payload?: object) =>
      (await app.inject({ method, url, ...(payload && { payload }) })).json()
    expect(await answer('GET', '/posts?views_gte=150')).toHaveLength(1)
    expect(await answer('PATCH', '/posts/1', { views: 3 })).toMatchObject({ views: 3 })
    expect((await app.inject('/own')).body).toBe('own')
  })
})
