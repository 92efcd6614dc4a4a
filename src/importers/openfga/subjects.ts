// The keys of users: the name alone where a model has one type of them, else with the type before it.
import { ZerohopError } from '../../model/errors.ts'
import { KEY_BYTES_MAX } from '../../model/limits.ts'
import { encodeKey } from '../frame/keys.ts'
import type { Model } from './model.ts'

/** The type before the name: it has no `|`, because `encodeKey` writes that as `--7c`. */
export function toUserKey({ type, id }: { readonly type: string; readonly id: string }, model: Model): string {
  const key = encodeKey(id, 'user')
  if (model.subjects.size <= 1) return key
  const whole = `${encodeKey(type)}|${key}`
  if (whole.length > KEY_BYTES_MAX)
    throw new ZerohopError('KEY_TOO_LONG', { kind: 'imported', bytes: whole.length, limit: KEY_BYTES_MAX })
  return whole
}

/** `type:key` of an instance. */
export const toInstance = ({ type, id }: { readonly type: string; readonly id: string }): string =>
  `${encodeKey(type)}:${encodeKey(id)}`

/** JavaScript of `toQuestion`. */
export function printHelper({ subjects }: Model): string {
  const [only = 'user'] = subjects
  const user =
    subjects.size > 1
      ? `  return \`\${key(type)}|\${userKey(id)}\``
      : `  if (type !== ${JSON.stringify(only)}) throw new Error(${JSON.stringify(`only ${only} can be asked about, and not `)} + text)
  return id === '*' ? null : userKey(id)`
  return `const split = (text) => {
  const at = text.indexOf(':')
  if (at < 1 || text.includes('#')) throw new Error(\`\${text} is not such as document:1\`)
  return [text.slice(0, at), text.slice(at + 1)]
}

const toUser = (text) => {
  const [type, id] = split(text)
${user}
}

/** What \`check(user, relation, object)\` asked, for \`pdp.check(user, action, resource)\`. */
export const toQuestion = (user, relation, object) => {
  const [type, id] = split(object)
  return { user: toUser(user), action: key(relation), resource: { type: key(type), key: key(id), tenant: 'default' } }
}
`
}
