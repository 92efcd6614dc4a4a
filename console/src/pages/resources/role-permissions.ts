// Permissions of resource roles. The API lists them in the form in which they were last written, `action` or
// `resource:action`; forms show the action alone, and the console writes `resource:action`.

/** `invoice:read` → `read`, `read` → `read` */
export const permissionAction = (permission: string): string => permission.slice(permission.indexOf(':') + 1)

/** The body of a write, with permissions as `resource:action`. */
export function asWritten<B extends Readonly<Record<string, unknown>>>(resource: string, body: B): B {
  const { permissions } = body
  if (!Array.isArray(permissions)) return body
  return { ...body, permissions: permissions.map((action) => `${resource}:${String(action)}`) }
}
