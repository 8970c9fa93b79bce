import { createRestHandler, type IdentityRequest, type RestOptions } from '../../src/index.ts'
import { type Reply, send as sendTo } from './send.ts'
import { createStaff } from './staff.ts'

/** The user `ada:admins` of `authorization: ada:admins`, with the tenant of another header. */
export function fromHeader({ header }: IdentityRequest) {
  const [ID, group] = header('authorization')?.split(':') ?? []
  if (ID === undefined) return null
  if (ID === 'forged') throw new Error('the signature is wrong')
  return { ID, groups: [group ?? 'all'], claims: { tenant: header('x-tenant') ?? 'none' } }
}

/** The staff behind `fromHeader`; `as` sends requests of a user, or of a guest. */
export function serveIdentified(options: RestOptions = {}) {
  const staff = createStaff()
  const reported: unknown[] = []
  const rest = createRestHandler(staff.store, {
    identify: fromHeader,
    onError: (error) => reported.push(error),
    ...options,
  })
  const as =
    (user: string | null, more: { readonly [name: string]: string } = {}) =>
    (method: string, url: string, body?: unknown, extra = {}): Promise<Reply> =>
      sendTo(rest, method, url, body, {
        host: 'hr.test:80',
        ...(user === null ? {} : { authorization: user }),
        ...more,
        ...extra,
      })
  return { ...staff, rest, reported, as }
}
