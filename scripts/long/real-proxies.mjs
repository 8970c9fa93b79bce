/** Reverse proxies on this machine, each with the simplest configuration of its manual. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePorts } from './served.mjs'

/**
 * @typedef {object} Proxy
 * @property {string} name
 * @property {string} program
 * @property {(at: { readonly folder: string, readonly port: number, readonly target: number }) => {
 * readonly file: string, readonly text: string, readonly args: readonly string[] }} configure
 */

/**
 * @param {string} name
 * @param {string} behind the path after the address of `proxy_pass`: with one, nginx decodes and
 * normalises
 * @returns {Proxy}
 */
const nginx = (name, behind) => ({
  name,
  program: 'nginx',
  configure: ({ folder, port, target }) => ({
    file: 'nginx.conf',
    args: ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    text: `daemon off; pid ${folder}/pid; worker_processes 1; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};`).join(' ')}
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${target}${behind}; } }
}
`,
  }),
})

/**
 * @param {string} name
 * @param {readonly string[]} normalizers
 * @returns {Proxy}
 */
const haproxy = (name, normalizers) => ({
  name,
  program: 'haproxy',
  configure: ({ folder, port, target }) => ({
    file: 'haproxy.cfg',
    args: ['-db', '-f', join(folder, 'haproxy.cfg')],
    text: `global
  expose-experimental-directives
defaults
  mode http
  timeout connect 10s
  timeout client 60s
  timeout server 60s
frontend all
  bind 127.0.0.1:${port}
${normalizers.map((one) => `  http-request normalize-uri ${one}\n`).join('')}  default_backend store
backend store
  server store 127.0.0.1:${target}
`,
  }),
})

/** @type {readonly Proxy[]} */
export const PROXIES = [
  nginx('nginx', ''),
  nginx('nginx, normalising', '/'),
  haproxy('HAProxy', []),
  haproxy('HAProxy, normalising', [
    ...['path-strip-dot', 'path-strip-dotdot full', 'path-merge-slashes'],
    ...['percent-decode-unreserved', 'percent-to-uppercase strict'],
  ]),
  {
    name: 'Caddy',
    program: 'caddy',
    configure: ({ folder, port, target }) => ({
      file: 'Caddyfile',
      args: ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
      text: `{
	admin off
	auto_https off
}
http://127.0.0.1:${port} {
	bind 127.0.0.1
	reverse_proxy 127.0.0.1:${target}
}
`,
    }),
  },
  {
    name: 'Varnish',
    program: 'varnishd',
    configure: ({ folder, port, target }) => ({
      file: 'default.vcl',
      args: [
        '-F',
        '-a',
        `127.0.0.1:${port}`,
        '-f',
        join(folder, 'default.vcl'),
        '-n',
        join(folder, 'work'),
        '-s',
        'malloc,32m',
      ],
      text: `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${target}"; }
`,
    }),
  },
]

/** @param {Proxy} proxy */
export function versionOf({ program }) {
  const { error, stdout, stderr } = spawnSync(
    program,
    [program === 'varnishd' ? '-V' : program === 'caddy' ? 'version' : '-v'],
    { encoding: 'utf8' },
  )
  return error === undefined ? `${stdout}${stderr}`.split('\n')[0] : null
}

/**
 * Starts a proxy in front of a local server, with all its files in `folder`.
 * @param {Proxy} proxy
 * @param {string} folder
 * @param {number} target
 */
export async function startProxy({ name, program, configure }, folder, target) {
  mkdirSync(folder, { recursive: true })
  const [port = 0] = await freePorts(1)
  const { file, text, args } = configure({ folder, port, target })
  writeFileSync(join(folder, file), text)
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
  const ended = new Promise((resolve) => child.once('close', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await Promise.race([ended, delay(5000).then(() => child.kill('SIGKILL'))])
  }
  for (let tries = 0; tries < 100; tries++) {
    if (child.exitCode !== null) break
    const isUp = await fetch(`http://127.0.0.1:${port}/rest/$catalog`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return { port, stop }
    await delay(100)
  }
  await stop()
  throw new Error(`${name} did not start:\n${said}`)
}
