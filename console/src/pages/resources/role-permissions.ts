// Resource roles as their form has them, and as they are written. The API lists permissions in the form in which they were
// last written, `action` or `resource:action`; forms show the action alone, and the console writes `resource:action`.

/** `invoice:read` → `read`, `read` → `read` */
export const permissionAction = (permission: string): string => permission.slice(permission.indexOf(':') + 1)

type Body = Readonly<Record<string, unknown>>

/** The body of a write: permissions as `resource:action`, and how it can be requested as a whole. */
export function asWritten<B extends Body>(resource: string, body: B, stored?: Requestable): B {
  const { permissions } = body
  const written = Array.isArray(permissions)
    ? { ...body, permissions: permissions.map((action) => `${resource}:${String(action)}`) }
    : body
  return withRequestable(written, stored) as B
}

interface Requestable {
  readonly by: 'members' | 'everybody'
  readonly approvers: readonly string[]
  readonly max_duration: number
  readonly reason: 'required' | 'optional'
  readonly auto?: boolean | undefined
}
const NAMES = [
  'is_requestable',
  'request_longest',
  'request_approvers',
  'request_everybody',
  'request_without_reason',
  'request_auto',
] as const

/** `requestable` as fields of the form. */
export function requestableInForm(stored: Requestable | undefined): Body {
  if (stored === undefined) return {}
  const { by, approvers, max_duration, reason, auto } = stored
  return {
    is_requestable: true,
    request_longest: max_duration,
    request_approvers: approvers.join(', '),
    request_everybody: by === 'everybody' || null,
    request_without_reason: reason === 'optional' || null,
    request_auto: auto || null,
  }
}

/** With `requestable` as the API takes it, when one of its fields was changed: it is written as a whole. */
function withRequestable(body: Body, stored: Requestable | undefined): Body {
  if (!NAMES.some((name) => name in body)) return body
  const form = { ...requestableInForm(stored), ...body } as Body
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !NAMES.some((own) => own === name)))
  if (!form.is_requestable) return { ...rest, requestable: null }
  const approvers = String(form.request_approvers ?? '').split(',')
  return {
    ...rest,
    requestable: {
      by: form.request_everybody ? 'everybody' : 'members',
      approvers: approvers.map((key) => key.trim()).filter(Boolean),
      max_duration: form.request_longest ?? 0,
      reason: form.request_without_reason ? 'optional' : 'required',
      auto: form.request_auto === true,
    },
  }
}
